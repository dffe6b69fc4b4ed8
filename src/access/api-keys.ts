import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { expectationOf, issueLine, valueAt } from '../base/errors/zod-issue.ts';
import { AMOUNT_EXPECTATION, millionthsOf } from '../base/money.ts';
import { idSchema } from '../contracts/values/ids.ts';
import { parseJson } from '../contracts/values/parse-json.ts';

/** The entry of `projects` that opens every project, including future ones. */
const ALL_PROJECTS = '*';

const isProject = (text: string): boolean => text === ALL_PROJECTS || idSchema.safeParse(text).success;

/** An entry of the file that ORION_API_KEYS_FILE names. The file holds no key, only its digest. */
const apiKeySchema = z.strictObject({
  /** Name of the key in logs and limits; never secret. */
  name: idSchema,
  /** Digest of the key's UTF-8 bytes, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'expected 64 hexadecimal digits (the digest, not the key)'),
  projects: z.array(z.string().refine(isProject, 'expected "*" or the id of a project')).min(1),
  /** True when the key may reply to what turns ask. A key that may not can still start and steer turns. */
  approves: z.boolean().default(true),
  /** The budget of the key's turns on a UTC day, in the currency of the prices. Absent means no limit. */
  costPerDay: z
    .number()
    .refine((amount) => millionthsOf(amount) !== undefined, `expected ${AMOUNT_EXPECTATION}`)
    .optional(),
});
/** An entry of the file of keys, as it is written. */
export type ApiKeyEntry = z.input<typeof apiKeySchema>;

/**
 * Names and digests are unique, in whatever case they are written, because limits are counted by name, and a key must
 * not have two meanings.
 */
const apiKeysSchema = z.array(apiKeySchema).superRefine((entries, context) => {
  entries.forEach((entry, index) => {
    const isTaken = (field: 'name' | 'sha256') =>
      entries.findIndex((other) => other[field].toLowerCase() === entry[field].toLowerCase()) < index;
    for (const field of ['name', 'sha256'] as const) {
      if (isTaken(field)) {
        context.addIssue({
          code: 'custom',
          path: [index, field],
          message: 'expected one that no entry before it has',
        });
      }
    }
  });
});

/** A key that may use the API: its name, its SHA-256, and what it permits. */
export interface ApiKey {
  readonly name: string;
  readonly digest: Buffer;
  /** True when the key opens every project, including future ones. */
  readonly opensAll: boolean;
  /** Projects that the key opens. Undefined means every project. */
  readonly projects: readonly string[] | undefined;
  /** True when the key may reply to what turns ask. */
  readonly approves: boolean;
  /**
   * The budget of the key's turns on a UTC day, in whole millionths of the currency of the prices. Absent means no
   * limit.
   */
  readonly costPerDay?: number;
  /** Reports whether the key opens a project. */
  opens(projectId: string): boolean;
}

/**
 * Reports whether any of the keys opens only some projects. The files of these projects must then be kept from the
 * other keys.
 */
export const hasBoundKeys = (keys: readonly ApiKey[]): boolean => keys.some(({ opensAll }) => !opensAll);

/**
 * The result of reading a file of keys: its keys, or everything that is wrong with it, each problem with index and
 * field.
 */
export type ParseKeysOutcome =
  | { readonly kind: 'keys'; readonly keys: readonly ApiKey[] }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Reads the text of a file of keys. Never throws, because problems are in the result. */
export const parseApiKeys = (text: string): ParseKeysOutcome => {
  const json = parseJson(text);
  if (json === undefined) {
    return { kind: 'problems', problems: ['expected a JSON array of keys, received text that is not JSON'] };
  }
  const parsed = apiKeysSchema.safeParse(json);
  if (parsed.success) return { kind: 'keys', keys: parsed.data.map(toApiKey) };
  return { kind: 'problems', problems: parsed.error.issues.map((issue) => problemLine(issue, json)) };
};

/** Finds the key that was presented, or returns undefined. Takes as long for a wrong key as for a right one. */
export const findKey = (keys: readonly ApiKey[], presented: string): ApiKey | undefined => {
  const digest = createHash('sha256').update(presented).digest();
  return keys.reduce<ApiKey | undefined>(
    (found, key) => (timingSafeEqual(key.digest, digest) ? key : found),
    undefined,
  );
};

const toApiKey = ({ name, sha256, projects, approves, costPerDay }: z.infer<typeof apiKeySchema>): ApiKey => {
  const ids = new Set(projects);
  const opensAll = ids.has(ALL_PROJECTS);
  const digest = Buffer.from(sha256, 'hex');
  return {
    name,
    digest,
    opensAll,
    projects: opensAll ? undefined : [...ids],
    approves,
    ...budgetOf(costPerDay),
    opens: (projectId) => opensAll || ids.has(projectId),
  };
};

const budgetOf = (amount: number | undefined): Pick<ApiKey, 'costPerDay'> => {
  const costPerDay = amount === undefined ? undefined : millionthsOf(amount);
  return costPerDay === undefined ? {} : { costPerDay };
};

const problemLine = (issue: z.core.$ZodIssue, input: unknown): string =>
  issueLine(issue, input, {
    fields: 'name, sha256, projects, approves and costPerDay',
    expected: issue.code === 'too_small' ? 'at least one project' : expectationOf(issue),
    received: receivedText(issue, valueAt(input, issue.path)),
  });

/**
 * Returns what was received in words. A value in place of the digest is not repeated, because somebody may have written
 * the key itself. Arrays and objects are not repeated either.
 */
const receivedText = ({ path }: z.core.$ZodIssue, value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return path.at(-1) === 'sha256' ? 'a value that is not shown' : JSON.stringify(value);
};
