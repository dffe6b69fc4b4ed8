/** Why edits are not applied. `edit` is the index of the edit, from 0. Lines count from 1. */
export type EditProblem =
  | {
      readonly kind: 'not_found';
      readonly edit: number;
      readonly expect: number;
      /** True when every line of the text begins with a number and a tab, as the model is shown the lines of a file. */
      readonly isNumbered: boolean;
    }
  | {
      readonly kind: 'miscounted';
      readonly edit: number;
      readonly expect: number;
      readonly found: number;
      /** Numbers of the lines where the first places begin. */
      readonly lines: readonly number[];
    }
  | { readonly kind: 'overlap'; readonly edit: number; readonly other: number; readonly line: number }
  | { readonly kind: 'no_change' };

/** Describes a problem for the model: field, expected, received, and what to do. */
export const problemText = (problem: EditProblem, path: string): string => {
  switch (problem.kind) {
    case 'not_found': {
      const field = `edits.${problem.edit}.old`;
      return problem.isNumbered
        ? `${field}: expected text as it stands in ${path}, received a number and a tab in front of every line: leave them out`
        : `${field}: expected ${counted(problem.expect)} in ${path}, received none: copy the text exactly as it stands there, white space included`;
    }
    case 'miscounted': {
      const { edit, expect, found, lines } = problem;
      const more = found > lines.length ? ', …' : '';
      const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
      return `edits.${edit}.old: expected ${counted(expect)} in ${path}, received ${found} (${where}): take in lines around it, or say how many with expect`;
    }
    case 'overlap':
      return problem.edit === problem.other
        ? `edits.${problem.edit}.old: expected matches that do not overlap, received two that overlap at line ${problem.line} of ${path}: take in lines around them`
        : `edits.${problem.edit}.old: expected matches that overlap no other edit, received one that overlaps edits.${problem.other} at line ${problem.line} of ${path}: make one edit of both`;
    case 'no_change':
      return `edits: expected a change, received what ${path} holds already`;
    default:
      return problem satisfies never;
  }
};

const counted = (count: number): string => `${count} ${count === 1 ? 'place' : 'places'}`;
