import type { ContentRef } from '../../../src/contracts/write-session/write-session.ts';
import type {
  CommitOutcome,
  FinalizeOutcome,
} from '../../../src/contracts/write-session/session-messages.ts';
import {
  applyEvent,
  newSession,
  msToExpiry,
  nextStep,
  type SessionEvent,
  type SessionState,
} from '../../../src/write-session/session-state.ts';

export const TIMEOUT_MS = 1_000;

export const content = (name: string): ContentRef => ({
  sha256: name.repeat(64).slice(0, 64),
  bytes: 10,
  lines: 1,
});

export type Action =
  | { readonly do: 'finalize'; readonly content: ContentRef | undefined }
  | { readonly do: 'touch'; readonly draft: ContentRef | undefined }
  | { readonly do: 'hold'; readonly ms: number }
  | { readonly do: 'cancel' }
  | { readonly do: 'wait'; readonly ms: number }
  /** The commit that is under way ends, if there is one; with `lost` it has no outcome. */
  | { readonly do: 'commit'; readonly result: 'committed' | 'failed' | 'lost' }
  /**
   * The closer answers, if it has been asked; `written` says that the commit which was given up had reached the target.
   */
  | { readonly do: 'close'; readonly written: boolean };

/** Plays a session as the workflow does: with one commit at a time, one timer, and one call of the closer. */
export class SessionRun {
  state: SessionState = newSession(0, TIMEOUT_MS);
  now = 0;
  /** The content that each finalize named, by ticket number. */
  readonly asked = new Map<number, ContentRef | undefined>();
  /** The contents that reached the target. */
  readonly written: (ContentRef | undefined)[] = [];
  readonly states: SessionState[] = [this.state];
  /** The milliseconds of silence after which the session began to expire; undefined unless it did. */
  silenceAtExpiry: number | undefined;
  #lastHeardAt = 0;
  #heldUntil = 0;
  #timerAt = TIMEOUT_MS;
  #committing: { readonly content: ContentRef | undefined } | undefined;
  #givenUp: { readonly content: ContentRef | undefined } | undefined;
  /** A commit that was given up after it had reached the target. */
  #late: { readonly content: ContentRef | undefined } | undefined;

  play(action: Action): void {
    switch (action.do) {
      case 'finalize': {
        const ticket = this.asked.size + 1;
        this.asked.set(ticket, action.content);
        this.#lastHeardAt = this.now;
        this.#heldUntil = 0;
        this.#apply({ type: 'finalize', at: this.now, ticket, content: action.content });
        break;
      }
      case 'touch':
        this.#lastHeardAt = this.now;
        this.#apply({ type: 'touch', at: this.now, draft: action.draft });
        break;
      case 'hold':
        this.#heldUntil = this.now + action.ms;
        this.#apply({ type: 'hold', hold: { inputId: 'turn/1', until: this.#heldUntil } });
        break;
      case 'cancel':
        this.#apply({ type: 'cancel' });
        break;
      case 'wait':
        this.#wait(action.ms);
        break;
      case 'commit':
        this.#endCommit(action.result);
        break;
      case 'close':
        this.#close(action.written);
        break;
      default:
        action satisfies never;
    }
    this.#step();
  }

  /** Ends whatever is under way, and then lets the session expire. */
  finish(): void {
    for (let i = 0; i < 100 && nextStep(this.state).kind !== 'ended'; i += 1) {
      this.play({ do: 'commit', result: 'failed' });
      this.play({ do: 'wait', ms: TIMEOUT_MS });
      this.play({ do: 'close', written: false });
    }
  }

  answers(): (readonly [number, FinalizeOutcome | undefined])[] {
    return [...this.asked.keys()].map((ticket) => [ticket, this.state.outcomes[ticket]] as const);
  }

  #apply(event: SessionEvent): void {
    const before = this.state;
    this.state = applyEvent(before, event);
    this.states.push(this.state);
    if (before.closing === null && this.state.closing === 'expired') {
      this.silenceAtExpiry = this.now - Math.max(this.#lastHeardAt, this.#heldUntil);
    }
  }

  #step(): void {
    const step = nextStep(this.state);
    if (step.kind === 'commit') this.#committing ??= { content: step.content };
    if (step.kind === 'close' && this.#committing) {
      this.#givenUp = this.#committing;
      this.#committing = undefined;
    }
  }

  #wait(ms: number): void {
    this.now += ms;
    if (this.now < this.#timerAt) return;
    this.#apply({ type: 'timer', at: this.now });
    this.#timerAt = this.now + Math.max(1, msToExpiry(this.state, this.now));
  }

  #endCommit(result: 'committed' | 'failed' | 'lost'): void {
    const commit = this.#committing ?? this.#givenUp;
    if (!commit) return;
    // A commit that was given up may still end once, too late for anybody to hear of it.
    if (commit === this.#givenUp) this.#late = result === 'committed' ? commit : this.#late;
    this.#committing = undefined;
    this.#givenUp = undefined;
    if (result === 'lost') {
      this.#givenUp = commit;
      this.#apply({ type: 'commit_lost' });
      return;
    }
    if (result === 'committed') this.written.push(commit.content);
    this.#lastHeardAt = this.now;
    this.#apply({ type: 'commit_ended', at: this.now, outcome: outcomeOf(result, commit.content) });
  }

  #close(written: boolean): void {
    const step = nextStep(this.state);
    // A closer that comes after the end is too late.
    if (step.kind === 'ended') this.#apply({ type: 'closed', end: 'cancelled' });
    if (step.kind !== 'close') return;
    if (written && this.#givenUp) {
      this.#late = this.#givenUp;
      this.written.push(this.#late.content);
    }
    this.#givenUp = undefined;
    const late = this.#late;
    this.#apply({
      type: 'closed',
      end: late ? 'committed' : step.end,
      content: late ? (late.content ?? content('f')) : undefined,
    });
  }
}

/**
 * Returns the outcome of a commit. If the finalize named no content, the commit has found out what the draft file
 * holds.
 */
const outcomeOf = (result: 'committed' | 'failed', committed: ContentRef | undefined): CommitOutcome =>
  result === 'committed'
    ? { kind: 'committed', content: committed ?? content('f') }
    : { kind: 'failed', code: 'write_failed', reason: 'no space' };
