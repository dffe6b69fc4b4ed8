import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LeftOut } from '../../src/contracts/model/left-out.ts';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import { promptTokens } from '../../src/base/text/message-tokens.ts';
import { fitPrompt, type PromptParts, promptWithout } from '../../src/prompts/fit-prompt.ts';
import type { EarlierMessages } from '../../src/prompts/whole-prompt.ts';
import type { SentStep } from '../../src/contracts/model/sent-step.ts';
import { toolResultText } from '../../src/protocol/turn/tool-report.ts';
import { logLine } from '../support/test-log.ts';

const KIB = 1_024;
const user = (content: string): ModelMessage => ({ role: 'user', content });
const says = (content: string): ModelMessage => ({ role: 'assistant', content });

const nothingBefore: EarlierMessages = {
  system: [{ role: 'system', content: 'You are Orion.' }],
  turns: [],
  isWhole: true,
  summary: null,
};

/** Returns a step with an answer, its calls and their results. */
const stepOf = (step: number, ...results: readonly string[]): SentStep => {
  const calls = results.map((_result, i) => ({
    id: `c${step}.${i}`,
    type: 'function' as const,
    function: { name: 'Files_read', arguments: `{"path":"${step}.${i}"}` },
  }));
  const toolMessages = results.map((content, i): ModelMessage => ({
    role: 'tool',
    tool_call_id: `c${step}.${i}`,
    content,
  }));
  return { step, messages: [{ role: 'assistant', content: '', tool_calls: calls }, ...toolMessages] };
};

const turnOf = (...steps: readonly (readonly string[])[]): SentStep[] => [
  { step: 1, messages: [user('question')] },
  ...steps.map((results, i) => stepOf(i + 2, ...results)),
];

/** Returns what each call of a turn leaves out, one call after the other. */
const leftOutByCalls = (earlier: EarlierMessages, steps: readonly SentStep[], room: number) => {
  const sent: { readonly parts: PromptParts; readonly leftOut: LeftOut | null }[] = [];
  for (const at of steps.keys()) {
    const parts = { earlier, steps: steps.slice(0, at + 1) };
    sent.push({ parts, leftOut: fitPrompt(parts, room, sent.at(-1)?.leftOut ?? null) });
  }
  return sent;
};

const resultsOf = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
const isLine = (content: string): boolean => content.startsWith('[left out: ');
const isLong = (content: string): boolean => Buffer.byteLength(content) >= KIB;

const long = (kib: number): string => 'x'.repeat(kib * KIB);

describe('a turn that outgrows its window', () => {
  it('leaves out nothing while it fits', () => {
    const parts = { earlier: nothingBefore, steps: turnOf([long(8)], [long(8)]) };
    expect(fitPrompt(parts, 10_000, null)).toBeNull();
    const before = { turns: 0, results: [{ step: 2, at: 1 }] };
    expect(fitPrompt(parts, 10_000, before)).toBe(before);
  });

  it('leaves out its oldest results, until half of their space is free', () => {
    const steps = turnOf([long(8)], [long(8)], [long(8)], [long(8)], [long(8)]);
    const leftOut = fitPrompt({ earlier: nothingBefore, steps }, 10_000, null);
    expect(leftOut?.results).toEqual([
      { step: 2, at: 1 },
      { step: 3, at: 1 },
      { step: 4, at: 1 },
    ]);
    expect(resultsOf(promptWithout({ earlier: nothingBefore, steps }, leftOut))).toEqual([
      '[left out: 8 KiB]',
      '[left out: 8 KiB]',
      '[left out: 8 KiB]',
      long(8),
      long(8),
    ]);
  });

  it('leaves out results that no call has read only when it has to, and one by one', () => {
    const steps = turnOf([long(8)], [long(12), long(12), long(12)]);
    const { results } = fitPrompt({ earlier: nothingBefore, steps }, 8_000, null) ?? { results: [] };
    expect(results).toEqual([
      { step: 2, at: 1 },
      { step: 3, at: 1 },
    ]);
  });

  it('never leaves out the newest result, even if it is too large by itself', () => {
    const steps = turnOf([long(8)], [long(80)], ['short']);
    const prompt = promptWithout(
      { earlier: nothingBefore, steps },
      fitPrompt({ earlier: nothingBefore, steps }, 5_000, null),
    );
    expect(resultsOf(prompt)).toEqual(['[left out: 8 KiB]', long(80), 'short']);
  });

  it('counts bytes: Chinese text goes as early as it is large', () => {
    const steps = turnOf(['界'.repeat(4 * KIB)], ['界'.repeat(4 * KIB)], ['界'.repeat(4 * KIB)]);
    expect(fitPrompt({ earlier: nothingBefore, steps }, 10_000, null)).toBeNull();
    const leftOut = fitPrompt({ earlier: nothingBefore, steps }, 9_000, null);
    expect(resultsOf(promptWithout({ earlier: nothingBefore, steps }, leftOut))).toEqual([
      '[left out: 12 KiB]',
      '[left out: 12 KiB]',
      '界'.repeat(4 * KIB),
    ]);
  });
});

describe('earlier turns', () => {
  const summary = { content: 'They spoke of cups.', isComplete: true };
  const earlier: EarlierMessages = {
    ...nothingBefore,
    turns: [
      [user('q1'), says('1'.repeat(8 * KIB))],
      [user('q2'), says('2'.repeat(8 * KIB))],
    ],
  };

  it('are left out first, before any result of the turn, until half of their space is free', () => {
    const steps = turnOf([long(4)], [long(4)]);
    const leftOut = fitPrompt({ earlier, steps }, 6_000, null);
    expect(leftOut).toEqual({ turns: 2, results: [] });
    expect(promptWithout({ earlier, steps }, leftOut)[1]).toEqual(
      user(
        '[Earlier messages of this conversation are left out: ConversationTool_search finds them.]\n\nquestion',
      ),
    );
  });

  it('stay where they fit into that half, the newest ones', () => {
    const turns = [...earlier.turns, [user('q3'), says('3'.repeat(2 * KIB))]];
    const parts = { earlier: { ...earlier, turns }, steps: turnOf([long(1)]) };
    expect(fitPrompt(parts, 5_000, null)).toBeNull();
    expect(fitPrompt(parts, 4_600, null)).toEqual({ turns: 2, results: [] });
    const [system, first] = promptWithout(parts, { turns: 2, results: [] });
    expect(system?.role).toBe('system');
    expect(first?.content).toMatch(/^\[Earlier messages[^]*\n\nq3$/);
  });

  it('are all left out before the first result', () => {
    const steps = turnOf([long(20)], [long(20)]);
    expect(fitPrompt({ earlier, steps }, 6_000, { turns: 1, results: [] })).toEqual({
      turns: 2,
      results: [{ step: 2, at: 1 }],
    });
  });

  it('are still in a summary, which says that there is more', () => {
    const summarised = { ...earlier, isWhole: false, summary };
    const [, first] = promptWithout({ earlier: summarised, steps: turnOf() }, { turns: 1, results: [] });
    expect(first?.content).toMatch(
      /They spoke of cups\.\n\[end of the summary\]\n\[Messages that came after those of the summary are left out, too\.\]\n\nq2$/,
    );
  });
});

const anyText = fc.oneof(
  fc.integer({ min: 0, max: 3 * KIB }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 0, max: 20 * KIB }).map((length) => 'y'.repeat(length)),
  fc.integer({ min: 0, max: 5 * KIB }).map((length) => '界'.repeat(length)),
);
const anySteps = fc.array(fc.array(anyText, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });
const anyTurns = fc.array(anyText, { maxLength: 5 });

it('any turn fits into any space, or only its newest long result stays; pairs stay whole; nothing comes back', () => {
  fc.assert(
    fc.property(anySteps, anyTurns, fc.integer({ min: 0, max: 30_000 }), (results, before, room) => {
      const earlier = { ...nothingBefore, turns: before.map((text) => [user('q'), says(text)]) };
      const steps = turnOf(...results);
      let last: LeftOut | null = null;
      for (const { parts, leftOut } of leftOutByCalls(earlier, steps, room)) {
        const prompt = promptWithout(parts, leftOut);
        const whole = parts.steps.flatMap(({ messages }) => messages);
        const sent = resultsOf(prompt);
        if (promptTokens(prompt) > room) {
          expect(leftOut?.turns).toBe(before.length);
          expect(sent.filter(isLong)).toEqual(resultsOf(whole).filter(isLong).slice(-1));
        }
        expect(sent.findLast((content) => isLong(content) || isLine(content)) ?? '').not.toMatch(
          /^\[left out/,
        );
        const own = prompt.slice(prompt.length - whole.length);
        expect(own.map(({ role }) => role)).toEqual(whole.map(({ role }) => role));
        expect(own.map((message) => message.role === 'tool' && message.tool_call_id)).toEqual(
          whole.map((message) => message.role === 'tool' && message.tool_call_id),
        );
        // What was left out stays left out; only newer results are added.
        expect(leftOut?.results.slice(0, last?.results.length ?? 0) ?? []).toEqual(last?.results ?? []);
        expect(leftOut?.turns ?? 0).toBeGreaterThanOrEqual(last?.turns ?? 0);
        // The next attempt of the same call leaves out the same.
        expect(fitPrompt(parts, room, leftOut)).toEqual(leftOut);
        last = leftOut;
      }
    }),
    { numRuns: 300 },
  );
});

it('results in boxes are left out like those of tools', () => {
  const boxed = (text: string): ModelMessage => ({
    role: 'system',
    content: toolResultText(
      {
        toolCallId: 'c',
        toolName: 'F.r',
        success: true,
        result: text,
        attempts: 1,
        durationMs: 1,
        timestamp: '',
      },
      'system',
    ),
  });
  const steps = [
    { step: 1, messages: [user('question')] },
    { step: 2, messages: [says('first'), boxed(long(8))] },
    { step: 3, messages: [says('second'), boxed(long(8))] },
  ];
  expect(fitPrompt({ earlier: nothingBefore, steps }, 3_000, null)?.results).toEqual([{ step: 2, at: 1 }]);
});

/** Counts the tokens of a turn's prompts that a provider has not read before, and all of their tokens. */
const uncachedTokensOf = (prompts: readonly (readonly ModelMessage[])[]) => {
  let fresh = 0;
  for (const [at, prompt] of prompts.entries()) {
    const before = prompts[at - 1] ?? [];
    const shared = prompt.findIndex((message, i) => message.content !== before[i]?.content);
    fresh += promptTokens(prompt.slice(shared < 0 ? prompt.length : shared));
  }
  return { fresh, all: prompts.reduce((sum, prompt) => sum + promptTokens(prompt), 0) };
};

it('in a turn of 40 reads of 60 KiB, a provider reads a third of what it would if the least were left out', () => {
  const steps = turnOf(...Array.from({ length: 40 }, (_, i) => [`${i} ${long(60)}`]));
  const prompts = leftOutByCalls(nothingBefore, steps, 96_000).map(({ parts, leftOut }) =>
    promptWithout(parts, leftOut),
  );
  for (const prompt of prompts) expect(promptTokens(prompt)).toBeLessThanOrEqual(96_000);
  const least = steps.map((_step, at) => {
    const own = steps.slice(0, at + 1);
    // Six results of 60 KiB fit.
    const results = own.slice(1, -6).map(({ step }) => ({ step, at: 1 }));
    return promptWithout({ earlier: nothingBefore, steps: own }, { turns: 0, results });
  });
  const [half, few] = [uncachedTokensOf(prompts), uncachedTokensOf(least)];
  logLine(
    `40 reads of 60 KiB: ${half.fresh} of ${half.all} tokens not cached; ${few.fresh} of ${few.all} if as few as possible went`,
  );
  expect(half.fresh).toBeLessThan(few.fresh / 2);
});
