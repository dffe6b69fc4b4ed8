import { MockActivityEnvironment } from '@temporalio/testing';
import { ActivityCancellationDetails } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { createCallModel, type CallModelDeps } from '../../../activities/call-model/call-model.ts';
import type { EarlierMessages } from '../../../src/prompts/whole-prompt.ts';
import type { LeftOut } from '../../../src/contracts/model/left-out.ts';
import type { SentStep } from '../../../src/contracts/model/sent-step.ts';
import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { LaneControl } from '../../../src/contracts/wire/live-lane.ts';
import type {
  CallModelInput,
  CallModelResult,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { Prices } from '../../../src/contracts/model/model-price.ts';
import type { CallReservation, ReserveOutcome } from '../../../src/db/usage/spend-repository.ts';
import { createModelClient } from '../../../src/llm/openai-client.ts';
import { expandBatch, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import { createToolRegistry, type ToolRegistry } from '../../../src/tools/registry.ts';
import type { RawTrace } from '../../../src/trace/prepare-trace.ts';
import { modelInput, RUN_ID } from './activity-inputs.ts';

/** Runs one attempt of `callModel` over a real provider client; Temporal, Postgres and the lane are recorders. */
export class ModelAttempt {
  readonly lane: LoggedEvent[] = [];
  readonly signalled: LoggedEvent[] = [];
  readonly segments = new Map<number, EventBatch[]>();
  /** How the workflow responds to signals. */
  workflow: 'stored' | 'gone' | 'unreachable' = 'stored';
  /** How often the attempt asked Temporal whether it is reachable. */
  questions = 0;
  /** The errors that the next calls of `segments.store` throw, in order. */
  readonly segmentFailures: Error[] = [];
  control: (control: LaneControl) => void = () => undefined;
  readonly heartbeats: unknown[] = [];
  readonly traces: RawTrace[] = [];
  /** The prices of models; while it is empty, the model has no price. */
  prices: Prices = new Map();
  reservation: ReserveOutcome = 'reserved';
  readonly reserved: CallReservation[] = [];
  readonly settled: { readonly epoch: number; readonly cost: number }[] = [];
  /** The costs that were counted for the metrics. */
  readonly costs: { readonly cost: number; readonly wasted: boolean }[] = [];
  readonly #environment: MockActivityEnvironment;
  readonly #epoch: number;
  /** The number of tokens that a prompt may have. */
  room = 96_000;
  /** The messages of all steps of the turn so far; undefined when the turn has only those of this call. */
  steps: SentStep[] | undefined;
  earlier: EarlierMessages = { system: [], turns: [], isWhole: true, summary: null };
  /** What the attempt has stored as left out of its prompt. */
  readonly leftOut: LeftOut[] = [];
  /** The ids of the write sessions that the attempt has kept alive. */
  readonly touched: string[] = [];
  readonly #baseUrl: string;
  readonly #registry: ToolRegistry;

  constructor(
    baseUrl: string,
    options: { epoch?: number; heartbeatDetails?: unknown; runId?: string; registry?: ToolRegistry } = {},
  ) {
    this.#baseUrl = baseUrl;
    this.#registry = options.registry ?? createToolRegistry([]);
    this.#epoch = options.epoch ?? 101;
    const info = {
      workflowExecution: { workflowId: 'turn/turn-1', runId: options.runId ?? RUN_ID },
      heartbeatDetails: options.heartbeatDetails,
      heartbeatTimeoutMs: 30_000,
    };
    this.#environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
    this.#environment.on('heartbeat', (details) => this.heartbeats.push(details));
  }

  run(input: CallModelInput = modelInput()): Promise<CallModelResult> {
    return this.#environment.run(createCallModel(this.#deps()), input);
  }

  cancelByUser(): void {
    this.#environment.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
  }

  shutDownWorker(): void {
    this.#environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
  }

  #deps(): CallModelDeps {
    return {
      startNotifications: () => Promise.resolve(),
      countTokens: () => undefined,
      countCost: (_model, cost, { isWasted }) => void this.costs.push({ cost, wasted: isWasted }),
      prices: this.prices,
      spend: {
        reserve: (call) => {
          this.reserved.push(call);
          return Promise.resolve(this.reservation);
        },
        settle: (_turnId, epoch, cost) => {
          this.settled.push({ epoch, cost });
          return Promise.resolve();
        },
      },
      inputs: { close: () => Promise.resolve() },
      steps: {
        storeLeftOut: (_step, leftOut) => Promise.resolve(this.leftOut.push(leftOut) > 0),
        claim: ({ step, messages }) =>
          Promise.resolve({
            kind: 'claimed',
            epoch: this.#epoch,
            anchorTurnId: 'turn-1',
            summaryTurnId: null,
            steps: this.steps ?? [{ step, messages }],
            leftOut: null,
          }),
      },
      segments: {
        store: (_turnId, epoch, batches) => {
          const failure = this.segmentFailures.shift();
          if (failure) return Promise.reject(failure);
          this.segments.set(epoch, [...batches]);
          return Promise.resolve();
        },
      },
      writeSessions: {
        touch: (sessionId) => {
          this.touched.push(sessionId);
          return Promise.resolve(true);
        },
      },
      sessionInactivityMs: 300_000,
      appendEvents: (_turn, batches) => {
        if (this.workflow === 'unreachable') return Promise.reject(new Error('14 UNAVAILABLE'));
        if (this.workflow === 'stored') this.signalled.push(...batches.flatMap(expandBatch));
        return Promise.resolve(this.workflow);
      },
      pingTemporal: () => {
        this.questions += 1;
        return this.workflow === 'unreachable'
          ? Promise.reject(new Error('14 UNAVAILABLE'))
          : Promise.resolve();
      },
      prompts: {
        begin: () => Promise.reject(new Error('the recorded claim asks for no decisions')),
        loadEarlier: () => Promise.resolve(this.earlier),
        maxPromptTokensOf: () => this.room,
      },
      turns: { find: () => Promise.resolve(undefined) },
      traces: { record: (...traces) => Promise.resolve(void this.traces.push(...traces)) },
      model: createModelClient({
        baseUrl: this.#baseUrl,
        apiKey: 'sk-test',
        provider: 'generic',
        idleTimeoutMs: 60_000,
        totalTimeoutMs: 10_000,
      }),
      registry: this.#registry,
      lane: {
        open: ({ onControl }) => {
          this.control = onControl;
          return {
            isHealthy: true,
            output: () => undefined,
            publish: (batch) => void this.lane.push(...expandBatch(batch)),
            close: () => Promise.resolve(),
          };
        },
        close: () => undefined,
      },
    };
  }
}

/** Returns the texts of the chunks among these events. */
export const chunkTexts = (events: readonly LoggedEvent[]): string[] =>
  events.flatMap(({ event }) => (event.type === 'chunk' ? [event.content] : []));
