import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answer, answerWithCall } from '../../support/fake-model/responses.ts';
import type { Response, Rule } from '../../support/fake-model/script.ts';
import type { Attack, Target } from './attack.ts';
import { send } from './sockets.ts';

/** The pause between two turns in milliseconds. The default rate limit would refuse more than one turn a second. */
const TURN_EVERY_MS = 1_000;

/** Returns rules for the model: in turns whose message contains `word`, it first makes these moves and then answers. */
const movesOf = (word: string, ...moves: readonly Response[]): readonly Rule[] => [
  { match: { user: word, lastRole: 'user' }, responses: moves, repeat: true },
  { match: { user: word }, responses: [answer('Done.')], repeat: true },
];

const startTurns =
  (word: string) =>
  async (target: Target, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await send(target, signal, '/api/turns', {
        json: { projectId: target.projectId, conversationId: randomUUID(), content: word },
      });
      await delay(TURN_EVERY_MS);
    }
  };

const turnAttack = (name: string, word: string, ...moves: readonly Response[]): Attack => ({
  name,
  rules: movesOf(word, ...moves),
  run: startTurns(word),
});

const manyCalls: Response = {
  steps: [
    ...Array.from({ length: 20_000 }, (_, index) => ({
      calls: [
        {
          index,
          id: `c${index}`,
          type: 'function',
          function: { name: 'FileSystemTool_read_file', arguments: '{' },
        },
      ],
    })),
    { finish: 'tool_calls' },
    { done: true },
  ],
};

/** Attacks by turns whose model, tools and files are chosen by the attacker. */
export const turnAttacks: readonly Attack[] = [
  turnAttack(
    'an ignore rule that backtracks',
    'attack:ignore',
    answerWithCall('FileSystemTool_list_files', { path: '.', recursive: true }),
  ),
  turnAttack(
    'a pattern of an MCP schema that backtracks',
    'attack:pattern',
    answerWithCall('mcp__evil__pattern', { text: `${'a'.repeat(48)}!` }),
  ),
  turnAttack(
    'an MCP schema that doubles with every level',
    'attack:schema',
    answerWithCall('mcp__evil__nested', { value: {} }),
  ),
  turnAttack('an MCP event without an end', 'attack:event', answerWithCall('mcp__flood__endless', {})),
  turnAttack('20,000 tool calls in one answer', 'attack:calls', manyCalls),
  turnAttack(
    'regular expressions made to be slow',
    'attack:search',
    answerWithCall('FileSystemTool_search_files', { path: '.', regex: '(a+)+$(b|b)*'.repeat(50) }),
  ),
];
