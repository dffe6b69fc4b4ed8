import { promptTokens } from '../../src/base/text/message-tokens.ts';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import type { TurnMode } from '../../src/contracts/tools/tool-call.ts';
import type { KnownSurroundings } from '../../src/contracts/model/known-surroundings.ts';
import { createPromptService } from '../../src/prompts/prompt-service.ts';
import { wholePrompt } from '../../src/prompts/whole-prompt.ts';
import { loadSystemPrompt } from '../../src/prompts/system-prompt.ts';
import type { EarlierTurn } from '../../src/db/conversations/branch.ts';
import type { TranscriptRepository } from '../../src/db/conversations/transcript-repository.ts';
import { turnTranscript } from '../../src/protocol/turn/turn-transcript.ts';
import { providerMessages } from '../../src/llm/prompt-messages.ts';

/** How much of each prompt equals the beginning of the previous prompt in the same mode. */
interface CacheFigures {
  readonly prompts: number;
  /**
   * The common beginnings as a share (0 to 1) of the characters of the shorter of two prompts; the first prompt of each
   * mode is left out.
   */
  readonly shared: number;
  /**
   * The common beginnings as a share (0 to 1) of the characters of all prompts: what a provider reads from its cache.
   */
  readonly cached: number;
  /** The number of times that prompts began with another turn than before. */
  readonly anchors: number;
}

/** A provider that keeps the newest prompt of each mode, because each mode has tools of its own. */
class PrefixCache {
  readonly #last = new Map<TurnMode, string>();
  #shared = 0;
  #shorter = 0;
  #characters = 0;
  #prompts = 0;

  send(mode: TurnMode, messages: readonly ModelMessage[]): void {
    const prompt = JSON.stringify(providerMessages(messages, {}));
    const last = this.#last.get(mode);
    if (last !== undefined) {
      this.#shared += commonPrefix(last, prompt);
      this.#shorter += Math.min(last.length, prompt.length);
    }
    this.#characters += prompt.length;
    this.#last.set(mode, prompt);
    this.#prompts += 1;
  }

  figures(anchors: number): CacheFigures {
    const [shared, cached] = [this.#shared / this.#shorter, this.#shared / this.#characters];
    return { prompts: this.#prompts, shared, cached, anchors };
  }
}

const commonPrefix = (one: string, other: string): number => {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
};

interface StoredTurn extends EarlierTurn {
  readonly stored: readonly ModelMessage[];
  readonly said: readonly ModelMessage[];
}

/**
 * The turns of one conversation, held in memory. No suite compares its transcripts with those of Postgres: they have
 * one branch and no summaries, notes or removed turns.
 */
class Conversation {
  readonly turns: StoredTurn[] = [];
  anchor: string | null = null;
  anchors = 0;

  readonly transcripts: TranscriptRepository = {
    loadBranch: () => {
      const from = this.anchor === null ? 0 : this.turns.findIndex(({ turnId }) => turnId === this.anchor);
      const turns = this.turns.slice(Math.max(0, from)).toReversed();
      return Promise.resolve({
        turns,
        anchorTurnId: this.anchor,
        summary: null,
        messageTokens: 100,
        otherBranchFiles: null,
        notes: [],
      });
    },
    loadEndedBranch: () => Promise.resolve({ turns: this.turns.toReversed(), summary: null, model: 'm' }),
    load: (turnId, anchorTurnId) => {
      const from = anchorTurnId === turnId ? this.turns.length : this.#indexOf(anchorTurnId);
      const turns = this.turns
        .slice(from)
        .map(({ turnId: id, stored }) => ({ kind: 'transcript' as const, turnId: id, messages: stored }));
      return Promise.resolve({ turns, isWhole: from === 0, summary: null });
    },
  };

  begin(anchorTurnId: string): void {
    if (anchorTurnId !== this.anchor) this.anchors += 1;
    this.anchor = anchorTurnId;
  }

  end(
    { turnId, question, answer }: GeneratedTurn,
    stored: readonly ModelMessage[],
    known: KnownSurroundings,
  ): void {
    const tokens = promptTokens(stored);
    const said: ModelMessage[] = [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ];
    this.turns.push({
      turnId,
      messageCount: stored.length,
      tokens,
      known,
      summaryTokens: null,
      stored,
      said,
    });
  }

  #indexOf(turnId: string): number {
    return this.turns.findIndex((turn) => turn.turnId === turnId);
  }
}

/** What a generated turn says and does. */
interface GeneratedTurn {
  readonly turnId: string;
  readonly mode: TurnMode;
  readonly question: string;
  /** What each of its tools returns. */
  readonly results: readonly string[];
  readonly answer: string;
}

const words = (characters: number, random: () => number): string => {
  let text = '';
  while (text.length < characters) text += `${Math.floor(random() * 1e9).toString(36)} `;
  return text;
};

const between = (low: number, high: number, random: () => number): number =>
  Math.floor(low + (high - low) * random());

/** Generates turns of which about every seventh switches the mode. */
const generateTurns = (count: number, random: () => number): readonly GeneratedTurn[] => {
  let mode: TurnMode = 'act';
  return Array.from({ length: count }, (_, i) => {
    if (random() < 1 / 7) mode = mode === 'act' ? 'plan' : 'act';
    const results = Array.from({ length: between(0, 5, random) }, () =>
      words(between(200, 6_000, random), random),
    );
    const [question, answer] = [between(20, 400, random), between(100, 1_500, random)];
    return {
      turnId: `t${i}`,
      mode,
      question: words(question, random),
      results,
      answer: words(answer, random),
    };
  });
};

const callsOf = ({ turnId, results }: GeneratedTurn): ModelMessage[][] =>
  results.map((content, i) => {
    const id = `${turnId}-${i}`;
    const call = { id, type: 'function' as const, function: { name: 'x', arguments: '{}' } };
    return [
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content },
    ];
  });

/**
 * Builds the beginning of a prompt as it was before there were transcripts: the outline in the system prompt, then the
 * last 20 messages as text.
 */
const oldBeginning = (
  system: string,
  mode: TurnMode,
  files: readonly string[],
  earlier: readonly StoredTurn[],
): ModelMessage[] => [
  {
    role: 'system',
    content: `${system}\n\nYou are in ${mode.toUpperCase()} mode.\n\n${files.map((file) => `    ${file}`).join('\n')}`,
  },
  ...earlier.flatMap(({ said }) => said).slice(-20),
];

/** The files of a workspace, which come and go. */
class Files {
  readonly paths = ['README.md', 'package.json', 'src/', 'src/main.ts'];

  change(turnId: string, random: () => number): void {
    const chance = random();
    if (chance < 1 / 2) {
      this.paths.push(`src/${turnId}.ts`);
    } else if (chance < 3 / 4 && this.paths.length > 4) {
      this.paths.splice(between(4, this.paths.length, random), 1);
    }
    this.paths.sort();
  }
}

/**
 * Returns what is stored of a turn that ends. Each of its tool calls is one step, and the prompt of a step has the
 * messages of one more step than the prompt before.
 */
const storedOf = (steps: readonly ModelMessage[][], answer: string): readonly ModelMessage[] => {
  const phase = { type: 'phase', phase: 'action', index: 0, cycle: 0 } as const;
  const list = [...steps.map(() => phase), { type: 'chunk', content: answer } as const];
  const transcript = turnTranscript({
    steps: steps.map((messages, i) => ({ step: i + 1, messages })),
    list: list.map((event, seq) => ({ id: { epoch: 1, seq }, event })),
    ledger: [],
    replaced: [],
    toolResultRole: 'tool',
  });
  return [...(transcript?.sent ?? []), ...(transcript?.rest ?? [])];
};

/**
 * Plays the same generated turns twice, with transcripts and with the layout that preceded them. Resolves to the
 * figures of both.
 */
export const cachedShares = async (
  turns: number,
  random: () => number,
): Promise<Readonly<Record<'transcripts' | 'before', CacheFigures>>> => {
  const systemPrompt = await loadSystemPrompt();
  const [conversation, files] = [new Conversation(), new Files()];
  const service = createPromptService({
    systemPrompt,
    readSurroundings: () => Promise.resolve({ files: [...files.paths], skills: [], instructions: 'none' }),
    transcripts: conversation.transcripts,
    window: { tokens: 96_000, messages: undefined },
    now: () => 0,
  });
  const [now, before] = [new PrefixCache(), new PrefixCache()];
  for (const turn of generateTurns(turns, random)) {
    const { turnId, mode, question, answer } = turn;
    files.change(turnId, random);
    const begun = await service.begin({ turnId, projectId: 'p', conversationId: 'c', mode, model: 'm' });
    conversation.begin(begun.anchorTurnId);
    const old = oldBeginning(systemPrompt, mode, files.paths, conversation.turns);
    const steps: ModelMessage[][] = [[{ role: 'user', content: begun.preface + question }], ...callsOf(turn)];
    for (const step of steps.keys()) {
      const own = steps.slice(0, step + 1).flat();
      now.send(mode, wholePrompt(begun.earlier, own));
      before.send(mode, [...old, { role: 'user', content: question }, ...own.slice(1)]);
    }
    conversation.end(turn, storedOf(steps, answer), begun.known);
  }
  return { transcripts: now.figures(conversation.anchors), before: before.figures(0) };
};
