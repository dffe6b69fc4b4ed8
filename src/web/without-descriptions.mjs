/** Matches the description of a field: a call whose only argument is one literal text. */
const DESCRIPTION = /\s*\.describe\(\s*(?:'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`),?\s*\)/g;

/**
 * A Vite plugin that removes the descriptions of fields from the contracts. They are for `/openapi.json`, and would
 * make the page larger. Throws on a description that is not one literal text.
 */
export const withoutDescriptions = {
  name: 'without-descriptions',
  enforce: /** @type {const} */ ('pre'),
  /**
   * @param {string} code
   * @param {string} id
   */
  transform: (code, id) => {
    if (!id.includes('/src/contracts/')) return null;
    const short = code.replace(DESCRIPTION, '');
    if (short.includes('.describe(')) throw new Error(`${id}: expected one literal text in each description`);
    return { code: short, map: null };
  },
};
