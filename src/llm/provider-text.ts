const MAX_CHARACTERS = 300;

/** Shapes of keys and bearer tokens; providers quote parts of a refused key. */
const secrets = /\b(?:sk|pk|gsk|xai|key|AIza)[-_][\w*.…-]{4,}|\bBearer\s+\S+/gi;

/**
 * A part of a provider's message that is fit for an error text: one line, bounded, without keys. Empty for
 * an HTML page, which proxies send in place of an error.
 */
export function providerText(message: string, apiKey: string | undefined): string {
  const line = withoutKey(message, apiKey)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  if (/<(!doctype|html|head|body)\b/i.test(line)) return '';
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…` : line;
}

function withoutKey(message: string, apiKey: string | undefined): string {
  // A placeholder such as "x" would tear words apart.
  const own = apiKey && apiKey.length >= 4 ? message.replaceAll(apiKey, '[key]') : message;
  return own.replaceAll(secrets, '[key]');
}
