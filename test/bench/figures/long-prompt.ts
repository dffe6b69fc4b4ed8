import { setTimeout as delay } from 'node:timers/promises';
import type { Arm } from '../arms/arm.ts';
import { ask } from '../arms/ask.ts';
import { textOfCompletion } from '../arms/completion-text.ts';
import type { OrionArm } from '../arms/orion-arm.ts';
import type { Figure } from '../figure.ts';
import { fillConversation } from '../long-conversation.ts';
import { type BenchModel, endingAfter } from '../model.ts';
import { withOwnStack } from '../own-stack.ts';
import { shuffle } from '../../support/random.ts';
import { atMost, rounded, SUMMARY_COLUMNS, summaryRow } from '../report.ts';
import { summarize } from '../statistics.ts';

/** A full run stores 10,000 messages, of which 90,000 tokens are in the window. */
const TURNS = { full: 5_000, quick: 200 };
const BLOCKS = { full: 100, quick: 5 };
const WARM_UP_BLOCKS = 5;
/** The pause between turns in milliseconds, so that the end of one turn does not slow down the next. */
const REST_MS = 50;
/** The bar of docs/performance.md in milliseconds. */
const BAR = 20;
const NAME = 'long';
const PLACE = { projectId: 'bench', conversationId: NAME };
const QUESTION = 'Hello?';
const HELLO = endingAfter([{ text: 'Hello.' }]);

type ArmName = 'orion, empty' | 'orion, long' | 'provider, empty' | 'provider, long';

/** Returns an arm whose turns all follow the last stored turn, so that their prompts are equally long. */
const longArm = (orion: OrionArm, turns: number): Arm => ({
  ...orion,
  body: (requestId, content) => ({ ...PLACE, requestId, content, parentTurnId: `${NAME}-${turns}` }),
});

/** Returns an arm that sends the prompt of a turn of `arm` directly to the provider. */
const providerArm = async (model: BenchModel, arm: Arm): Promise<Arm> => {
  await model.answerAll(HELLO);
  await ask(arm, QUESTION);
  const asked = (await model.asked()).at(-1)?.body;
  if (!asked) throw new Error('expected the request of a turn at the provider, received none');
  const url = `${model.baseUrl}/chat/completions`;
  return { name: 'proxy', url, body: () => asked, textOf: textOfCompletion };
};

type Samples = Readonly<Record<ArmName, number[]>>;

const measureArms = async (
  arms: Readonly<Record<ArmName, Arm>>,
  model: BenchModel,
  { blocks, random }: { readonly blocks: number; readonly random: () => number },
): Promise<Samples> => {
  const names = Object.keys(arms) as ArmName[];
  const samples: Samples = {
    'orion, empty': [],
    'orion, long': [],
    'provider, empty': [],
    'provider, long': [],
  };
  for (let block = -WARM_UP_BLOCKS; block < blocks; block += 1) {
    // The model's memory of earlier requests is cleared, because each long prompt is 400 kB.
    await model.answerAll(HELLO);
    for (const name of shuffle(names, random)) {
      const { askedAt, pieces } = await ask(arms[name], QUESTION);
      const [first] = pieces;
      if (block >= 0 && first) samples[name].push(first.at - askedAt);
      await delay(REST_MS);
    }
  }
  return samples;
};

/**
 * Compares long prompts through Orion with the same prompts sent directly, because reading them takes the provider
 * time, too.
 */
export const longPrompt: Figure = {
  name: 'long-prompt',
  title:
    'Time to first token of a conversation with 10,000 messages, 90,000 tokens of them in the prompt (ms)',
  measure(bench) {
    const size = bench.isQuick ? 'quick' : 'full';
    return withOwnStack(bench, 'orion-long', async ({ db, orion, model }) => {
      await fillConversation(db, { ...PLACE, name: NAME, turns: TURNS[size] });
      const long = longArm(orion, TURNS[size]);
      const arms = {
        'orion, empty': orion,
        'orion, long': long,
        'provider, empty': await providerArm(model, orion),
        'provider, long': await providerArm(model, long),
      };
      const { random } = bench;
      const samples = await measureArms(arms, model, { blocks: BLOCKS[size], random });
      const of = (name: ArmName) => summarize(samples[name]);
      const bytes = (name: ArmName) => rounded(JSON.stringify(arms[name].body('', '')).length / 1000);
      const more = of('orion, long').p50 - of('orion, empty').p50;
      const provider = of('provider, long').p50 - of('provider, empty').p50;
      return {
        columns: ['arm', ...SUMMARY_COLUMNS],
        rows: (Object.keys(arms) as ArmName[]).map((name) => summaryRow(name, of(name))),
        checks: [atMost('orion, long − empty, p50', more, BAR, ' ms')],
        notes: [
          `of it the provider, which reads ${bytes('provider, long')} kB instead of ${bytes('provider, empty')}: ${rounded(provider)} ms`,
        ],
      };
    });
  },
};
