/**
 * The state of the workspace that the model was told about, in this turn or in earlier turns that its prompt contains.
 */
export interface KnownSurroundings {
  /** Paths, two levels deep. */
  readonly files: readonly string[];
  /** SHA-256 of the project's instructions. Null if there are none. */
  readonly instructions: string | null;
  /** Lines that name the skills of the project. */
  readonly skills: readonly string[];
}
