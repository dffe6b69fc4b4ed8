import type { Response, Step } from './script.ts';

const ending = (finish: string): readonly Step[] => [
  { finish },
  { usage: { prompt: 100, completion: 20 } },
  { done: true },
];

/** Returns a plain answer in these pieces. */
export const answer = (...pieces: readonly string[]): Response => ({
  steps: [...pieces.map((text) => ({ text })), ...ending('stop')],
});

/** Returns an answer that calls one tool, whose arguments are cut into pieces as OpenAI cuts them. */
export const answerWithCall = (
  name: string,
  args: unknown,
  options: { id?: string; text?: string } = {},
): Response => {
  const json = typeof args === 'string' ? args : JSON.stringify(args);
  const { id = `call_${name}`, text } = options;
  const head: Step = { calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] };
  const tail = (json.match(/.{1,7}/gsu) ?? []).map((piece) => ({
    calls: [{ index: 0, function: { arguments: piece } }],
  }));
  return { steps: [...(text ? [{ text }] : []), head, ...tail, ...ending('tool_calls')] };
};

/** Returns one answer with several tool calls, each in one piece. */
export const answerWithCalls = (...calls: readonly (readonly [name: string, args: unknown])[]): Response => ({
  steps: [
    ...calls.map(([name, args], index) => ({
      calls: [
        {
          index,
          id: `call_${index}_${name}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        },
      ],
    })),
    ...ending('tool_calls'),
  ],
});

/** Returns a long answer of timed frames (see `timedText`), for kill tests and benchmarks. */
export const longAnswer = (chunks: number, perSecond: number): Response => ({
  steps: [{ chunks, perSecond }, ...ending('stop')],
});

/**
 * Returns a long answer of timed frames, each attempt at which stops after the first `held` chunks until the gate is
 * open.
 */
export const heldAnswer = (chunks: number, perSecond: number, held: number, gate: string): Response => ({
  steps: [
    { chunks: held, perSecond },
    { gate },
    { chunks: chunks - held, perSecond, first: held + 1 },
    ...ending('stop'),
  ],
});

/** Returns an answer that sends `before`, then nothing until the gate opens, and then `after`. */
export const gatedAnswer = (before: string, gate: string, after: string): Response => {
  const { steps = [] } = answer(after);
  return { steps: [{ text: before }, { gate }, ...steps] };
};

/**
 * Returns a timed answer whose end no test reaches: two seconds at 50 chunks a second, then two chunks a second for a
 * quarter of an hour.
 */
export const lastingAnswer = (): Response => ({
  steps: [
    { chunks: 100, perSecond: 50 },
    { chunks: 1_800, perSecond: 2, first: 101 },
  ],
});

/** Returns an error response in OpenAI's form. */
export const refusal = (
  status: number,
  error: { message: string; code?: string | number | null; type?: string },
  headers: Readonly<Record<string, string>> = {},
): Response => ({ status, headers, body: { error: { param: null, ...error } } });

/** Returns the text of the nth timed frame: `#<n>@<ms since 1970, three decimals> `. */
export const timedText = (n: number): string =>
  `#${n}@${(performance.timeOrigin + performance.now()).toFixed(3)} `;

/**
 * Returns the numbers of all timed frames in a text and the times at which they were sent (ms since 1970), in
 * order.
 */
export const readTimedText = (text: string): readonly { n: number; sentAt: number }[] =>
  [...text.matchAll(/#(\d+)@(\d+\.\d{3}) /g)].map(([, n, sentAt]) => ({
    n: Number(n),
    sentAt: Number(sentAt),
  }));
