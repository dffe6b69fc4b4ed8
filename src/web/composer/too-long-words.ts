import { MAX_CONTENT_BYTES } from '../../contracts/http/message-api.ts';
import { KIB } from '../../contracts/values/units.ts';
import { utf8Bytes } from '../../contracts/values/at-most-bytes.ts';

/**
 * The greatest number of bytes that UTF-8 needs for one code unit of a string. With it, most texts need not be encoded
 * to be measured.
 */
const MAX_BYTES_A_UNIT = 3;

/** Describes by how much a message is longer than the gateway accepts. Returns undefined if it is not too long. */
export const tooLongWords = (text: string): string | undefined => {
  if (text.length * MAX_BYTES_A_UNIT <= MAX_CONTENT_BYTES) return undefined;
  const bytes = utf8Bytes(text);
  if (bytes <= MAX_CONTENT_BYTES) return undefined;
  const over = Math.ceil(((bytes - MAX_CONTENT_BYTES) / KIB) * 10) / 10;
  return `Too long by ${over.toFixed(1)} KiB: a message may have ${MAX_CONTENT_BYTES / KIB} KiB.`;
};
