import { fitted, fittedEnd, widthOf } from './text-width.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const LEAST_CELLS = 10;

/**
 * What is going on, behind a spinner in its n-th place, and what is being typed meanwhile, of which the end shows: in
 * so many cells at most.
 */
export const statusLine = (turn: number, text: string, aside: string, most: number): string => {
  const cells = Math.max(LEAST_CELLS, most);
  const status = `${SPINNER[turn % SPINNER.length]} ${text}`;
  if (aside === '') return fitted(status, cells);
  const start = `${fitted(status.trimEnd(), Math.floor(cells / 2))} › `;
  return start + fittedEnd(aside, cells - widthOf(start));
};
