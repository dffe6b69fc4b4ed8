import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import type { ReadNextPrompt } from '../../../src/prompts/next-prompt.ts';
import type { ReadSentPrompt, SentBlock } from '../../../src/prompts/sent-prompt.ts';
import type { FakeTurns } from './fake-turns.ts';

/**
 * Prompts of the turns in memory: the message of each, and the replies that the test sets. No suite compares them with
 * the prompts that are built from Postgres: these have no branches and leave nothing out.
 */
export class MemoryPrompts {
  /** The replies to each earlier turn. */
  replies: readonly ModelMessage[] = [{ role: 'assistant', content: 'Said.' }];
  readonly #turns: FakeTurns;

  constructor(turns: FakeTurns) {
    this.#turns = turns;
  }

  read: ReadNextPrompt = ({ projectId, conversationId }, { leaf }) => {
    const turns = [...this.#turns.byId.values()].filter(
      ({ view }) => view.projectId === projectId && view.conversationId === conversationId,
    );
    if (turns.length === 0) return Promise.resolve({ kind: 'unknown_conversation' });
    const last = leaf === undefined ? turns.length - 1 : turns.findIndex(({ view }) => view.turnId === leaf);
    if (last < 0) return Promise.resolve({ kind: 'unknown_turn' });
    const before = turns.slice(0, last + 1);
    return Promise.resolve({
      kind: 'found',
      leaf: turns[last]?.view.turnId ?? null,
      anchorTurnId: turns[0]?.view.turnId ?? null,
      isWhole: true,
      limit: 96_000,
      blocks: [
        { part: 'system', turnId: null, tokens: 3, message: { role: 'system', content: 'You are Orion.' } },
        ...before.flatMap(({ view, request }) =>
          [{ role: 'user' as const, content: request.content }, ...this.replies].map((message) => ({
            part: 'earlier' as const,
            turnId: view.turnId,
            tokens: 2,
            message,
          })),
        ),
        { part: 'next', turnId: null, tokens: 4, message: { role: 'user', content: '[surroundings]' } },
      ],
    });
  };

  /** Resolves to what a call was sent. Each turn has made two calls, of which the second was sent `replies`. */
  sent: ReadSentPrompt = (turnId, step) => {
    const turn = this.#turns.byId.get(turnId);
    if (!turn || step > 2) return Promise.resolve(undefined);
    const own = (of: number, message: ModelMessage): SentBlock => ({
      part: 'own',
      turnId,
      step: of,
      isLeftOut: false,
      tokens: 2,
      message,
    });
    const blocks = [
      own(1, { role: 'user', content: turn.request.content }),
      ...(step === 1 ? [] : this.replies.map((message) => own(2, message))),
    ];
    return Promise.resolve({ isWhole: true, blocks });
  };
}
