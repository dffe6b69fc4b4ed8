/** Names that say by themselves what they are. */
const SELF_EVIDENT = new Set([
  'callId',
  'conversationId',
  'inputId',
  'messageId',
  'projectId',
  'sessionId',
  'session_id',
  'turnId',
  'X-Request-Id',
  'X-Turn-Id',
]);

interface Described {
  readonly description?: string;
  readonly const?: unknown;
}

/** Part of an API description, as far as it is searched. */
interface Part {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly in?: unknown;
  readonly name?: unknown;
  readonly description?: unknown;
  readonly schema?: Described;
}

/** Returns the name of a part that is a parameter without a description. */
const parameterIn = (part: Part): readonly string[] =>
  typeof part.in === 'string' &&
  typeof part.name === 'string' &&
  part.description === undefined &&
  part.schema?.description === undefined
    ? [part.name]
    : [];

/**
 * Returns the names of fields and parameters of an API description that have no description, each once. Fields with
 * only one value and self-evident names need none.
 */
export const undescribedIn = (document: object): readonly string[] => {
  const names = new Set<string>();
  const search = (part: Part): void => {
    for (const [name, field] of Object.entries(part.properties ?? {})) {
      if (field.description === undefined && field.const === undefined) names.add(name);
    }
    for (const name of parameterIn(part)) names.add(name);
    for (const inner of Object.values(part)) {
      if (typeof inner === 'object' && inner !== null) search(inner as Part);
    }
  };
  search(document);
  return [...names].filter((name) => !SELF_EVIDENT.has(name));
};
