/** Tests what `orion trace` prints besides one line per event: lost attempts, and words with `-v`. */
import { expect, it } from '@jest/globals';
import { runTrace } from '../../../src/cli/commands/trace-command.ts';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import type { TraceEvent } from '../../../src/contracts/http/trace-api.ts';
import { createColors } from '../../../src/cli/render/colors.ts';
import { partOf } from '../../support/part-of.ts';

const event = (
  type: TraceEvent['type'],
  second: number,
  details: TraceEvent['details'],
  more: Partial<TraceEvent> = {},
): Partial<TraceEvent> => ({
  type,
  summary: 'stop',
  details,
  error: null,
  phaseIndex: 0,
  createdAt: `2026-01-05T09:00:0${second}.000Z`,
  ...more,
});

/** Returns what `orion trace` prints about these events of a turn. */
const traceOf = async (events: readonly Partial<TraceEvent>[], isVerbose = false) => {
  const lines: string[] = [];
  const context = partOf<CliContext>({
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
    cliProcess: { stdout: { isTTY: true } },
    screen: { writeLine: (line: string) => void lines.push(line), colors: createColors(false) },
    turns: { readStatus: () => Promise.resolve({ turnId: 't', projectId: 'p' }) },
    traces: { list: () => Promise.resolve({ events, total: events.length, nextOffset: null }) },
    isVerbose,
  });
  await runTrace(context, { turnId: 't' });
  return lines;
};

it('has a line for attempts that were lost, where the attempt that was counted after them ends', async () => {
  const lines = await traceOf([
    event('llm_call', 0, { step: 1 }),
    event('system_error', 1, { step: 1, attempt: 2, durationMs: 5 }, { error: 'away' }),
    event('llm_result', 2, { step: 1, attempt: 5, durationMs: 5 }),
    event('llm_result', 3, { step: 2, attempt: 1, durationMs: 5 }),
    event('tool_result', 4, { attempts: 3, durationMs: 5 }),
  ]);
  expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    ' +0.000s phase 0 llm_call stop',
    ' phase 0 lost attempt of the model call',
    ' +1.000s phase 0 system_error stop — away',
    ' phase 0 2 lost attempts of the model call',
    ' +2.000s phase 0 llm_result stop',
    ' +3.000s phase 0 llm_result stop',
    ' +4.000s phase 0 tool_result stop',
  ]);
});

it('with -v shows the beginning of the words of the model and of tools, which cannot control the terminal', async () => {
  const events = [
    event('llm_result', 0, { step: 1, text: 'I read it.\nThen\u001B[2J', durationMs: 5 }),
    event('tool_call', 1, { arguments: { path: 'a.md' } }),
    event('tool_result', 2, { result: 'x'.repeat(2_000) }),
    event('tool_result', 3, { error: 'not found' }, { error: 'not found' }),
    event('tool_result', 4, { result: Array.from({ length: 20 }, (_, i) => i + 1).join('\n') }),
    event('orchestration_phase_end', 5, { text: 'unused' }),
  ];
  const lines = await traceOf(events, true);
  expect(lines.filter((line) => line.startsWith('    '))).toEqual([
    '    → I read it.',
    String.raw`    → Then\u001b[2J`,
    '    ← {"path":"a.md"}',
    `    → ${'x'.repeat(1_000)}…`,
    ...Array.from({ length: 10 }, (_, i) => `    → ${i + 1}`),
    '    → …',
  ]);
  expect(await traceOf(events)).toHaveLength(events.length);
});
