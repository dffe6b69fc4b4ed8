/** One step of a pattern: a character, `?`, `*` (not across `/`) or `**`. */
type Step = string | { readonly any: 'one' | 'name' | 'all' };

const stepsOf = (glob: string): readonly Step[] =>
  (glob.match(/\*\*+|\*|\?|[^*?]/gu) ?? []).map((part) => {
    if (part === '?') return { any: 'one' };
    if (part === '*') return { any: 'name' };
    return part.startsWith('*') ? { any: 'all' } : part;
  });

const isStar = (step: Step | undefined): boolean => typeof step === 'object' && step.any !== 'one';

const takes = (step: Step, character: string): boolean => {
  if (typeof step === 'string') return step === character;
  return step.any === 'all' || character !== '/';
};

/** Marks a place, and those behind the stars that follow it: a star need not take anything. */
const reach = (steps: readonly Step[], at: number, places: Uint8Array): void => {
  places[at] = 1;
  for (let next = at; isStar(steps[next]); next += 1) places[next + 1] = 1;
};

/**
 * Tells if a pattern matches a whole text: `*` any characters but `/`, `**` any at all, `?` one but `/`. It keeps every
 * place that may be reached instead of trying them one after another, so that no text makes it slow: one step for each
 * place of the pattern and character.
 */
export const matchesGlob = (glob: string, text: string): boolean => {
  const steps = stepsOf(glob);
  let places = new Uint8Array(steps.length + 1);
  let next = new Uint8Array(steps.length + 1);
  reach(steps, 0, places);
  for (const character of text) {
    next.fill(0);
    steps.forEach((step, at) => {
      if (places[at] === 1 && takes(step, character)) reach(steps, isStar(step) ? at : at + 1, next);
    });
    if (!next.includes(1)) return false;
    [places, next] = [next, places];
  }
  return places[steps.length] === 1;
};
