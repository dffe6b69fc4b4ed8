/**
 * Returns JSON with keys sorted at every depth and undefined fields left out, so that equal values give equal texts.
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => compare(a, b))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${fields.join(',')}}`;
};

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
