import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { toolEffectSchema } from '../../contracts/tools/tool-call.ts';
import { fieldsOf, isRecord } from '../../contracts/values/unchecked-value.ts';
import type { Environment } from '../settings/load-settings.ts';
import { readJsonFile } from './json-file.ts';

/** Orion's own fields in the entry of a server (docs/tools.md "MCP servers"); other hosts ignore them. */
const orionSchema = z.strictObject({
  /**
   * Effects of tools, by the server's own names for them. They win over MCP annotations, which cannot express `poll`.
   */
  effect: z.record(z.string(), toolEffectSchema).default({}),
  /** Fields of a tool's results that change without meaning. Two polls are compared without them. */
  volatile: z.record(z.string(), z.array(z.string().min(1))).default({}),
  /**
   * Whether the annotations of the server's tools, such as `readOnlyHint`, are believed. Absent means that those of a
   * local program are believed and those of an address are not.
   */
  trustAnnotations: z.boolean().optional(),
  /** Timeout of one call, in milliseconds. */
  timeoutMs: z.number().int().min(1).max(600_000).optional(),
});

const commonFields = { disabled: z.literal(false).optional(), orion: orionSchema.optional() };

const stdioFields = {
  ...commonFields,
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
};
const stdioSchema = z.looseObject(stdioFields).transform(({ orion, command, args, env, cwd }) => {
  const transport: McpTransportSettings = { kind: 'stdio', command, args, env, cwd };
  return { orion, transport };
});

const httpFields = {
  ...commonFields,
  type: z.enum(['http', 'streamable-http', 'sse']).default('http'),
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
};
const httpSchema = z.looseObject(httpFields).transform(({ orion, type, url, headers }) => {
  const transport: McpTransportSettings = { kind: type === 'sse' ? 'sse' : 'http', url, headers };
  return { orion, transport };
});

/**
 * Schema of one server's entry. It is not a union of the two kinds, because the errors of a union would name neither
 * the field nor what is expected there.
 */
const entrySchema = z.looseObject({}).transform((entry, context) => {
  const parsed = (Object.hasOwn(entry, 'command') ? stdioSchema : httpSchema).safeParse(entry);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message });
  return z.NEVER;
});

/** The `mcpServers` file that desktop clients and editors share. Unknown keys belong to other hosts. */
const fileSchema = z.looseObject({
  mcpServers: z.record(z.string().regex(/^[A-Za-z0-9_.-]{1,32}$/), entrySchema),
});

/** The way to an MCP server: a process on stdio, or an address. */
export type McpTransportSettings =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** One MCP server of the file that `ORION_MCP_CONFIG` names. */
export interface McpServerSettings {
  readonly name: string;
  readonly transport: McpTransportSettings;
  readonly effects: Readonly<Record<string, z.infer<typeof toolEffectSchema>>>;
  /** Names of result fields that change without meaning, by the server's own names for its tools. */
  readonly volatileFields: Readonly<Record<string, readonly string[]>>;
  /**
   * True when the annotations of the server's tools are believed. A tool that says it is read-only is then offered in
   * plan mode and may run again after a failure. A tool that says it is idempotent may run again, too.
   */
  readonly trustsAnnotations: boolean;
  /** Timeout of one call, in milliseconds. Undefined means the default. */
  readonly timeoutMs: number | undefined;
}

/**
 * Reads the servers of a `mcpServers` file, except disabled ones. Returns none without a path, or if the file has
 * problems. `${NAME}` and `${NAME:-default}` in what Orion reads are filled in from `env`, so that keys need not be in
 * the file. Problems are added to `problems`. They repeat no value, since a value may be a key.
 */
export const readMcpServers = (
  path: string | undefined,
  env: Environment,
  problems: string[],
): readonly McpServerSettings[] => {
  if (path === undefined) return [];
  const variable = 'ORION_MCP_CONFIG';
  const expected = 'a file with "mcpServers"';
  const value = readJsonFile({ variable, path, expected, mayHoldKey: true }, problems);
  if (value === undefined) return [];
  const reportProblem = (reason: string): readonly [] => {
    problems.push(`${variable}: expected ${expected}, received ${path} (${reason})`);
    return [];
  };
  const missing = new Set<string>();
  const parsed = fileSchema.safeParse(expandVariables(withOwnFieldsOnly(value), env, missing));
  if (!parsed.success) return reportProblem(z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' '));
  if (missing.size > 0) return reportProblem(`not set: ${[...missing].join(', ')}`);
  return Object.entries(parsed.data.mcpServers).map(([name, { transport, orion }]) => ({
    name,
    transport,
    effects: orion?.effect ?? {},
    volatileFields: orion?.volatile ?? {},
    trustsAnnotations: orion?.trustAnnotations ?? transport.kind === 'stdio',
    timeoutMs: orion?.timeoutMs,
  }));
};

/** Fields of an entry that Orion reads. Others belong to other hosts, and may name variables that only these know. */
const OWN_FIELDS: ReadonlySet<string> = new Set(Object.keys({ ...stdioFields, ...httpFields }));

/**
 * Returns a file without what Orion does not read: disabled servers, and fields of other hosts. A value of another
 * shape stays as it is, so that the schema says what is wrong with it.
 */
const withOwnFieldsOnly = (file: unknown): unknown => {
  if (!isRecord(file) || !isRecord(file['mcpServers'])) return file;
  const enabled = Object.entries(file['mcpServers']).filter(
    ([, entry]) => fieldsOf(entry)['disabled'] !== true,
  );
  return { mcpServers: Object.fromEntries(enabled.map(([name, entry]) => [name, ownFieldsOf(entry)])) };
};

const ownFieldsOf = (entry: unknown): unknown =>
  isRecord(entry)
    ? Object.fromEntries(Object.entries(entry).filter(([field]) => OWN_FIELDS.has(field)))
    : entry;

/**
 * Returns the names of the variables that a `mcpServers` file refers to, or none without a path. Throws the error of
 * `readFileSync` if the file cannot be read.
 */
export const readNamedVariables = (path: string | undefined): readonly string[] =>
  path === undefined
    ? []
    : [...readFileSync(path, 'utf8').matchAll(REFERENCE)].flatMap(([, name]) => name ?? []);

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

const expandVariables = (value: unknown, env: Environment, missing: Set<string>): unknown => {
  if (typeof value === 'string') {
    return value.replaceAll(REFERENCE, (_, name: string, fallback: string | undefined) => {
      const replacement = env[name] ?? fallback;
      if (replacement === undefined) missing.add(name);
      return replacement ?? '';
    });
  }
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, env, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, expandVariables(item, env, missing)]),
  );
};
