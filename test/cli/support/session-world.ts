import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { SurvivingText } from '../../../src/cli/turn/surviving-text.ts';
import { createWriteSessionView } from '../../../src/cli/turn/write-session-view.ts';
import { createKeptSessions, type KeptSession } from '../../../src/cli/write-session/kept-sessions.ts';
import {
  WriteSessionController,
  type WriteSessionControllerDeps,
} from '../../../src/cli/write-session/write-session-controller.ts';

export const SESSION = '3f8b0f0e-6d5c-4f6e-9a55-0f6e2c1d7a90';
export const TARGET = 'docs/a.md';

/** Timers that run when the test says that time has passed. */
export class ManualTimers {
  #now = 0;
  #due: { at: number; run: () => void }[] = [];

  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + ms, run };
    this.#due.push(timer);
    return () => {
      this.#due = this.#due.filter((other) => other !== timer);
    };
  };

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#due.filter(({ at }) => at <= this.#now);
    this.#due = this.#due.filter(({ at }) => at > this.#now);
    for (const { run } of due) run();
  }
}

const state = mkdtempSync(join(tmpdir(), 'orion-kept-'));
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** Creates a controller and one turn for it: the test feeds it events, and what it says and sends is recorded. */
export const createSessionWorld = (
  client: WriteSessionControllerDeps['client'],
  repairedSession?: KeptSession,
) => {
  const timers = new ManualTimers();
  const kept = createKeptSessions(join(state, randomUUID()));
  const lines: string[] = [];
  const report = (line: string): void => void lines.push(line);
  const retry = { attempts: 2, delayMs: 1_000, sleep: () => Promise.resolve(), report };
  const controller = new WriteSessionController({
    client,
    keptSessions: kept,
    retry,
    after: timers.after,
    idleMs: 2_000,
    report,
  });
  const refusedBegins: string[] = [];
  const view = createWriteSessionView({
    controller,
    origin: { turnId: 't', url: 'http://gateway', projectId: 'p' },
    repairedSession,
    onRefusedBegin: (callId) => refusedBegins.push(callId),
  });
  const said = new SurvivingText();
  let seq = 0;
  const feed = (...events: readonly TurnEvent[]): void => {
    for (const event of events) {
      seq += 1;
      const frame = { id: `101-${seq}`, event };
      said.accept(frame);
      void view.onFrame(frame, said);
    }
  };
  return { timers, kept, lines, controller, refusedBegins, feed, nextSeq: () => seq + 1 };
};

export const chunk = (content: string): TurnEvent => ({ type: 'chunk', content });
export const action = (index: number): TurnEvent => ({ type: 'phase', phase: 'action', index, cycle: 1 });
export const stage = (
  name: Extract<TurnEvent, { type: 'write_session' }>['stage'],
  more: { bytes?: number; lines?: number; sha256?: string; error?: string } = {},
): TurnEvent => ({
  type: 'write_session',
  sessionId: SESSION,
  stage: name,
  target: TARGET,
  bytes: 0,
  lines: 0,
  sha256: '',
  ...more,
});
