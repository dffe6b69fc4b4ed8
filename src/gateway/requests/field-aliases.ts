/** Other names under which clients send a field, by the name of ours; ours wins, then the first given. */
export type FieldAliases = Readonly<Record<string, readonly string[]>>;

const project = ['project_id', 'external_id'];
const conversation = ['conversation_id'];

export const messageAliases: FieldAliases = {
  projectId: project,
  conversationId: conversation,
  content: ['message'],
  requestId: ['request_id'],
};
export const queryAliases: FieldAliases = { projectId: project, conversationId: conversation };
export const projectAliases: FieldAliases = { projectId: project };

/** Renames aliases to our names. Anything but an object comes back as it is, for the schema to refuse. */
export const foldAliases = (input: unknown, aliases: FieldAliases): unknown => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const fields = new Map(Object.entries(input));
  for (const [name, others] of Object.entries(aliases)) {
    const given = [name, ...others].find((key) => fields.get(key) !== undefined);
    if (given !== undefined) fields.set(name, fields.get(given));
  }
  return Object.fromEntries(fields);
};
