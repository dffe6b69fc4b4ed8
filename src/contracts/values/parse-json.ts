/** Returns the value of a JSON text; undefined, which no JSON stands for, when the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
