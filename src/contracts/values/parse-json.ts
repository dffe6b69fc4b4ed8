/** Returns the value of a JSON text, or undefined (which no JSON means) when the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
