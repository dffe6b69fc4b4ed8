import { REDACTED, redactText } from '../../trace/redact-text.ts';

/**
 * Names of parameters that are secret whatever their value: `key`, `api_key`, `accessToken`, `password`, but not
 * `keyword`.
 */
const SECRET_NAME = /key(?![a-z])|token|secret|passw|passphrase|credential|authorization|cookie/i;

/**
 * Returns the URL of a request with `[redacted]` in place of its secrets, known by name or by shape, percent-encoded or
 * not.
 */
export const redactUrl = (url: string): string => {
  const start = url.indexOf('?');
  if (start === -1) return redactEncoded(url);
  const parameters = url.slice(start + 1).split('&');
  return `${redactEncoded(url.slice(0, start))}?${parameters.map(redactParameter).join('&')}`;
};

const redactParameter = (parameter: string): string => {
  const end = parameter.indexOf('=');
  if (end === -1) return redactEncoded(parameter);
  const name = parameter.slice(0, end);
  const isSecret = SECRET_NAME.test(decode(name));
  return `${redactEncoded(name)}=${isSecret ? REDACTED : redactEncoded(parameter.slice(end + 1))}`;
};

/**
 * Returns a text with its secrets redacted, whether these are percent-encoded or not. A text without secrets stays as
 * it came, since log lines are compared with what clients sent.
 */
const redactEncoded = (text: string): string => {
  const redacted = redactText(text);
  const plain = decode(redacted);
  const redactedAgain = redactText(plain);
  return redactedAgain === plain ? redacted : redactedAgain;
};

/** Decodes each run of escapes by itself, because an invalid one must not hide the secrets in the rest. */
const decode = (text: string): string =>
  text.replaceAll('+', ' ').replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
