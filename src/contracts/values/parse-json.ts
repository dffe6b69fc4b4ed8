/** Returns the value of a JSON text. Returns undefined, which is not a JSON value, if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
