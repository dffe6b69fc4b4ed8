const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;
const TAB = 8;

const widthOf = (character: string, column: number): number => {
  if (character === '\t') return TAB - (column % TAB);
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
};

const rowsOfLine = (line: string, columns: number): number => {
  let rows = 1;
  let column = 0;
  for (const character of line) {
    const width = widthOf(character, column);
    if (column + width > columns) {
      rows += 1;
      column = 0;
    }
    column += width;
  }
  return rows;
};

/** Rows that plain text takes on a terminal of so many columns, the unfinished last one included. */
export const rowsOf = (text: string, columns: number): number =>
  text.split('\n').reduce((rows, line) => rows + rowsOfLine(line, columns), 0);
