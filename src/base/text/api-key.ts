/** Says which texts can be the key of an API, for messages about a text that cannot. */
export const API_KEY_EXPECTATION = 'printable ASCII characters without blanks';

/**
 * Reports whether a text can be the key of an API. The key becomes a header, which can carry nothing but printable
 * ASCII without blanks.
 */
export const isApiKey = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);
