import type { RecordedTurn } from './recorded-turns.ts';
import { withFallbacks } from './scripted-fallbacks.ts';

const fallbacks = [
  { model: 'small', promptTokens: 50 },
  { model: 'large', promptTokens: 1_000 },
];
const input = { model: 'own', fallbacks };

/** Returns turns in which other models take over: in one of them back and forth, in another until none is left. */
export const recordedFallbacks = (): RecordedTurn[] => [
  {
    name: 'another-takes-over',
    input,
    activities: withFallbacks({
      failing: ['own', 'small'],
      failsFrom: { small: 3 },
      promptTokens: 10,
      toolSteps: 3,
    }),
  },
  {
    name: 'nobody-left',
    input,
    activities: withFallbacks({ failing: ['own', 'small', 'large'], promptTokens: 10 }),
  },
];
