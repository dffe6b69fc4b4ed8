import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { fileProblems } from '../../base/errors/file-problems.ts';
import { expectationOf, issueLine } from '../../base/errors/zod-issue.ts';
import { API_KEY_EXPECTATION, isApiKey } from '../../base/text/api-key.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { MAX_ANSWER_TOKENS } from '../../contracts/model/model-message.ts';
import type { ModelPrice } from '../../contracts/model/model-price.ts';
import { httpUrlField } from '../settings/fields.ts';
import { defaultBaseUrl, type ModelConnection, MODEL_PROVIDERS } from '../settings/model-provider.ts';
import { readJsonFile } from './json-file.ts';
import { fallbackProblems } from './model-fallbacks.ts';
import { PRICE_EXPECTATION, modelPriceSchema, toModelPrice } from './prices-file.ts';

const VARIABLE = 'ORION_MODELS_FILE';
const MAX_WINDOW = 100_000_000;
/** Number of tokens of the smallest window, which has room for a short prompt in addition to the longest answer. */
const MIN_WINDOW = MAX_ANSWER_TOKENS + 1_000;
const WINDOW_EXPECTATION = `tokens, an integer from ${MIN_WINDOW} to ${MAX_WINDOW}`;
const FIELD_NAMES = 'name, baseUrl, apiKeyFile, provider, contextWindow, prices, vision and fallback';

const entrySchema = z.strictObject({
  /** The name of the model at its provider. Absent means its name in this file. */
  name: z.string().min(1).optional(),
  baseUrl: httpUrlField.optional(),
  /**
   * The absolute path of a file with the API key. The key itself is never in the models file, which people show, copy
   * and keep under version control.
   */
  apiKeyFile: z.string().refine(isAbsolute, 'expected the absolute path of a file with the key').optional(),
  provider: z.enum(MODEL_PROVIDERS).optional(),
  contextWindow: z
    .number()
    .refine(
      (tokens) => Number.isInteger(tokens) && tokens >= MIN_WINDOW && tokens <= MAX_WINDOW,
      `expected ${WINDOW_EXPECTATION}`,
    )
    .optional(),
  prices: modelPriceSchema.optional(),
  vision: z.boolean().optional(),
  /** The model that takes over a call when this one is not available. */
  fallback: z.string().min(1).optional(),
});
type ModelEntry = z.infer<typeof entrySchema>;

const fileSchema = z.record(z.string(), z.unknown());

/** A model as the models file describes it. */
export interface DescribedModel {
  /** The name of the model at its provider. */
  readonly providerName: string;
  /** The connection. Undefined means that the model is reached like models that are not in the file. */
  readonly connection: ModelConnection | undefined;
  /** Number of tokens that prompt and answer may have together. Undefined if it is not known. */
  readonly contextWindow: number | undefined;
  readonly price: ModelPrice | undefined;
  /** True when the model accepts images. Undefined if that is not known. */
  readonly vision: boolean | undefined;
  readonly fallback: string | undefined;
}

/** Models by their names, in the order of the file. */
export type DescribedModels = ReadonlyMap<string, DescribedModel>;

/**
 * Reads the models file. Returns no models without a path, or if the file cannot be read as JSON. If `mayHoldKey` is
 * false, key files are not read. Problems are added to `problems`, one line each, and never contain a value that
 * may be a key.
 */
export const readModels = (
  path: string | undefined,
  mayHoldKey: boolean,
  problems: string[],
): DescribedModels => {
  if (path === undefined) return new Map();
  const file = { variable: VARIABLE, path, expected: 'a JSON file of models', mayHoldKey: true };
  const value = readJsonFile(file, problems);
  if (value === undefined) return new Map();
  const problemLines: string[] = [];
  const models = readEntries(value, mayHoldKey, problemLines);
  problems.push(...fileProblems(file, problemLines));
  return models;
};

/** Checks every entry, even if others are wrong, so that all problems show at once. */
const readEntries = (file: unknown, mayHoldKey: boolean, problems: string[]): DescribedModels => {
  const parsed = fileSchema.safeParse(file);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => modelLine(issue, file)));
  const models = new Map<string, DescribedModel>();
  const unusable = new Set<string>();
  for (const [model, value] of Object.entries(parsed.data ?? {})) {
    const entry = entrySchema.safeParse(value);
    if (entry.success) models.set(model, readEntry(model, entry.data, mayHoldKey, problems));
    else unusable.add(model);
    if (!/^\S{1,200}$/.test(model)) {
      problems.push(
        `expected names of 1 to 200 characters without blanks, received ${JSON.stringify(model)}`,
      );
    }
    const issues = entry.error?.issues ?? [];
    problems.push(...issues.map((issue) => modelLine({ ...issue, path: [model, ...issue.path] }, file)));
  }
  problems.push(...fallbackProblems(models, unusable));
  return models;
};

const readEntry = (
  model: string,
  entry: ModelEntry,
  mayHoldKey: boolean,
  problems: string[],
): DescribedModel => ({
  providerName: entry.name ?? model,
  connection: connectionOf(model, entry, mayHoldKey, problems),
  contextWindow: entry.contextWindow,
  price: entry.prices && toModelPrice(entry.prices),
  vision: entry.vision,
  fallback: entry.fallback,
});

/**
 * Returns the connection of an entry, or undefined if it names neither an address nor a provider. Such an entry must
 * not have a key either, because a key is sent only to the address in its own entry.
 */
const connectionOf = (
  model: string,
  { baseUrl, provider, apiKeyFile }: ModelEntry,
  mayHoldKey: boolean,
  problems: string[],
): ModelConnection | undefined => {
  if (baseUrl === undefined && provider === undefined) {
    if (apiKeyFile !== undefined) {
      problems.push(`${model} › apiKeyFile: expected baseUrl or provider beside it, received neither`);
    }
    return undefined;
  }
  const readsKeyFile = mayHoldKey && apiKeyFile !== undefined;
  return {
    provider: provider ?? 'generic',
    baseUrl: baseUrl ?? defaultBaseUrl(provider ?? 'generic'),
    apiKey: readsKeyFile ? readKey(`${model} › apiKeyFile`, apiKeyFile, problems) : undefined,
  };
};

/**
 * Returns the key in a file, without a line break at its end. Returns undefined if the file cannot be used, which is
 * added to `problems`.
 */
const readKey = (place: string, path: string, problems: string[]): string | undefined => {
  let key: string;
  try {
    key = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    problems.push(
      `${place}: expected the path of a readable file, received ${path} (${errorMessage(error)})`,
    );
    return undefined;
  }
  if (isApiKey(key)) return key;
  problems.push(`${place}: expected ${API_KEY_EXPECTATION} in ${path}, received a value that is not shown`);
  return undefined;
};

const modelLine = (issue: z.core.$ZodIssue, file: unknown): string => {
  const [, field] = issue.path;
  return issueLine(issue, file, {
    fields: issue.path.length === 1 ? FIELD_NAMES : 'input, cached, cacheWrite and output',
    expected: expectedIn(issue),
    // Somebody may have put a key or a password into a path or an address.
    ...((field === 'apiKeyFile' || field === 'baseUrl') && { received: 'a value that is not shown' }),
  });
};

const expectedIn = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== 'invalid_type') return expectationOf(issue);
  const [, field, price] = issue.path;
  if (field === undefined) return issue.path.length === 0 ? 'an object of models' : 'an object';
  if (field === 'prices') return price === undefined ? 'an object of prices' : PRICE_EXPECTATION;
  if (field === 'contextWindow') return WINDOW_EXPECTATION;
  return issue.expected === 'boolean' ? 'true or false' : 'text';
};
