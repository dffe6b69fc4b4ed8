/**
 * Returns the query string of a request, such as `?a=1&b=2`. Undefined values are left out. Without any value the
 * string is empty.
 */
export const queryStringOf = (values: Readonly<Record<string, string | number | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
};
