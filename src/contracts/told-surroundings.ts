/** What a turn's model was told of its workspace, in this turn or in those that its prompt holds. */
export interface ToldSurroundings {
  /** Paths, two levels deep. */
  readonly files: readonly string[];
  /** Of the project's instructions; null: there are none. */
  readonly instructions: string | null;
  /** Lines that name the skills of the project. */
  readonly skills: readonly string[];
}
