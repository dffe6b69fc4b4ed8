import { MockActivityEnvironment } from '@temporalio/testing';
import { ModelTracer } from '../../../activities/call-model/model-tracer.ts';
import type { CallModelInput } from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { TraceCarrier } from '../../../workflows/turn/trace-carrier.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import type { Figure } from '../figure.ts';
import { rounded } from '../report.ts';
import { summarize } from '../statistics.ts';

const TURNS = { full: 20_000, quick: 2_000 };
const WARM_UP_TURNS = 1_000;
/** The bar of docs/performance.md for p95 in milliseconds. */
const BAR = 1;

const place = { projectId: 'bench', requestId: 'bench' };
const messages: readonly ModelMessage[] = Array.from({ length: 21 }, (_, i) => ({
  role: 'user',
  content: `message ${i} of the history, about as long as one says`,
}));
const nowhere = {
  traces: { record: () => Promise.resolve() },
  turns: { find: () => Promise.resolve(undefined) },
  registry: createToolRegistry([]),
};

const inputWith = (traces: CallModelInput['traces']): CallModelInput => ({
  turnId: 'bench',
  projectId: 'bench',
  conversationId: 'bench',
  firstExecutionRunId: 'bench',
  prelude: [],
  ...(traces && { traces }),
  step: 1,
  fromSeq: 2,
  after: '0-1',
  mode: 'act',
  model: 'fake',
  messages: [],
  options: {
    stopAt: 'first-complete-call',
    lead: '',
    deadline: 0,
    tokenBudget: 1,
    tools: true,
    temperature: 0.3,
    maxTokens: 8_192,
  },
});

/** Returns the milliseconds that tracing takes between the start of a turn and its first model request. */
const traceStart = async (): Promise<number> => {
  const startedAt = performance.now();
  const carrier = new TraceCarrier({ now: () => Date.now() });
  carrier.record({ ...place, type: 'user_message', source: 'user', summary: 'Hello?' });
  for (const type of ['orchestration_phase_start', 'llm_call'] as const) {
    carrier.record({ ...place, type, source: 'system', summary: type, phaseIndex: 0, cycleIndex: 0 });
  }
  const payload = JSON.stringify(carrier.pending());
  const tracer = new ModelTracer(nowhere, inputWith(JSON.parse(payload) as CallModelInput['traces']), 101);
  tracer.recordCall({ messages: [...messages], leftOut: null });
  const took = performance.now() - startedAt;
  await tracer.close();
  return took;
};

/**
 * Measures what tracing adds to the first token, in this process and without the database, whose statements run beside
 * the model request and do not delay it.
 */
export const traceCost: Figure = {
  name: 'trace-cost',
  title: 'Work of tracing before the first model request of a turn, without what runs beside it (ms)',
  async measure({ isQuick }) {
    const times = await new MockActivityEnvironment().run(async () => {
      const all: number[] = [];
      for (let turn = 0; turn < WARM_UP_TURNS + (isQuick ? TURNS.quick : TURNS.full); turn += 1) {
        all.push(await traceStart());
      }
      return all.slice(WARM_UP_TURNS);
    });
    const { n, p50, p95, p99 } = summarize(times as number[]);
    return {
      columns: ['arm', 'N', 'p50', 'p95', 'p99'],
      rows: [['orion', String(n), ...[p50, p95, p99].map((value) => value.toFixed(4))]],
      checks: [{ what: 'orion, p95', value: p95, bar: BAR, side: 'at most', unit: ' ms' }],
      notes: [`${rounded(p50 * 1000)} µs of a turn go into it before its first model request`],
    };
  },
};
