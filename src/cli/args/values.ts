import { InvalidArgumentError } from 'commander';
import { MAX_PHASE_CYCLES } from '../../contracts/turn/budgets.ts';
import { idSchema } from '../../contracts/values/ids.ts';
import { inputNumberOf, turnIdOfInput } from '../../contracts/inputs/input-id.ts';
import { replyNameSchema, type ReplyName } from '../../contracts/wire/input-events.ts';
import { type ProtocolName, protocolNameSchema } from '../../contracts/turn/turn-facts.ts';

/**
 * Reads the value of `--max-cycles`, from 0 to `MAX_PHASE_CYCLES`. Throws InvalidArgumentError, which says what was
 * expected.
 */
export const parseCycles = (text: string): number => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MAX_PHASE_CYCLES) return value;
  throw invalidValueError(`an integer from 0 to ${MAX_PHASE_CYCLES}`);
};

/** Returns an error whose words commander writes after the option's name and the value. */
const invalidValueError = (expected: string): InvalidArgumentError =>
  new InvalidArgumentError(`Expected ${expected}.`);

/** Reads a number of turns a day from 1 to 999,999,999, with or without commas. Throws InvalidArgumentError. */
export const parseTurnsPerDay = (text: string): number => {
  const value = /^\d{1,9}$/.test(text.replaceAll(',', '')) ? Number(text.replaceAll(',', '')) : 0;
  if (value > 0) return value;
  throw invalidValueError('a number of turns from 1 to 999,999,999');
};

const MAX_DAYS = 366;

/** Reads a number of days from 1 to 366. Throws InvalidArgumentError. */
export const parseDays = (text: string): number => {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= MAX_DAYS) return value;
  throw invalidValueError(`a number of days from 1 to ${MAX_DAYS}`);
};

const MAX_PEAK = 9_999;

/** Reads the ratio of a peak to its mean, from 1 to 9999. Throws InvalidArgumentError. */
export const parsePeak = (text: string): number => {
  const value = /^\d{1,4}(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= MAX_PEAK) return value;
  throw invalidValueError(`a number from 1 to ${MAX_PEAK}`);
};

/** Reads the id of a project, a conversation or a turn (`idSchema`). Throws InvalidArgumentError. */
export const parseId = (text: string): string => {
  if (idSchema.safeParse(text).success) return text;
  throw invalidValueError('1-128 characters of A-Z a-z 0-9 . _ : -');
};

/** Reads the id of a write session, which is a UUID. Throws InvalidArgumentError. */
export const parseSessionId = (text: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw invalidValueError('the id of a write session (a UUID, as `orion sessions` lists it)');
};

/** Reads the id of an input request, `<turn id>/<n>`. Throws InvalidArgumentError. */
export const parseInputId = (text: string): string => {
  if (inputNumberOf(text) !== undefined && idSchema.safeParse(turnIdOfInput(text)).success) return text;
  throw invalidValueError('<turn id>/<n>, as `orion waiting` shows it');
};

/** Names of the replies, for help and errors. */
export const REPLY_NAMES = replyNameSchema.options.join(', ');

/** Reads the name of a reply to an input request. Throws InvalidArgumentError. */
export const parseReplyName = (text: string): ReplyName => {
  const parsed = replyNameSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalidValueError(REPLY_NAMES);
};

/** Reads ids of projects, separated by commas. `*` means every project. Throws InvalidArgumentError. */
export const parseProjects = (text: string): readonly string[] => {
  const ids = text.split(',').map((entry) => entry.trim());
  if (ids.every((entry) => entry === '*' || idSchema.safeParse(entry).success)) return ids;
  throw invalidValueError('ids of projects separated by commas, or *');
};

/** Reads an http(s) address and returns it without slashes at its end. Throws InvalidArgumentError. */
export const parseGatewayUrl = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw invalidValueError('a URL that begins with http:// or https://');
};

/** Names of the protocols, for help and errors. */
export const PROTOCOL_NAMES = protocolNameSchema.options.join(' or ');

/**
 * Reads the name of a protocol, in which a hyphen may replace the underscore: `two-stage` means `two_stage`. Throws
 * InvalidArgumentError.
 */
export const parseProtocol = (text: string): ProtocolName => {
  const parsed = protocolNameSchema.safeParse(text.replace('-', '_'));
  if (parsed.success) return parsed.data;
  throw invalidValueError(PROTOCOL_NAMES);
};
