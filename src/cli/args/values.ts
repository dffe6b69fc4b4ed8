import { InvalidArgumentError } from 'commander';
import { budgetsSchema } from '../../contracts/budgets.ts';
import { idSchema } from '../../contracts/ids.ts';
import { type ProtocolName, protocolNameSchema } from '../../contracts/turn.ts';

/** Commander puts the option's name and the value before these words. */
const wrong = (expected: string): InvalidArgumentError => new InvalidArgumentError(`Expected ${expected}.`);

const MOST_CYCLES = budgetsSchema.shape.maxPhaseCycles.unwrap().maxValue ?? 0;

export const cycles = (text: string): number => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MOST_CYCLES) return value;
  throw wrong(`an integer from 0 to ${MOST_CYCLES}`);
};

export const id = (text: string): string => {
  if (idSchema.safeParse(text).success) return text;
  throw wrong('1-128 characters of A-Z a-z 0-9 . _ : -');
};

export const sessionId = (text: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw wrong('the id of a write session (a UUID)');
};

/** Ids of projects, or `*`, separated by commas. */
export const projects = (text: string): readonly string[] => {
  const ids = text.split(',').map((entry) => entry.trim());
  if (ids.every((entry) => entry === '*' || idSchema.safeParse(entry).success)) return ids;
  throw wrong('ids of projects separated by commas, or *');
};

export const gatewayUrl = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw wrong('a URL that begins with http:// or https://');
};

export const PROTOCOLS = protocolNameSchema.options.join(' or ');

/** `two-stage` is how the protocol calls itself, `two_stage` how the API does. */
export const protocol = (text: string): ProtocolName => {
  const parsed = protocolNameSchema.safeParse(text.replace('-', '_'));
  if (parsed.success) return parsed.data;
  throw wrong(PROTOCOLS);
};
