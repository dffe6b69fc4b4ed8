import { randomUUID } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { eventually } from '../../support/eventually.ts';
import { Random } from '../../support/random.ts';
import { ChatClient } from '../../support/chat-client.ts';
import { readTimedText } from '../../support/fake-model/responses.ts';
import { drawFreePort } from '../../support/free-port.ts';
import { recordedText, violations } from '../../support/recording-check.ts';
import type { RecordedFrame } from '../../support/sse-recorder.ts';
import { logLine } from '../../support/test-log.ts';
import { kill, type LooseProcesses } from './loose-processes.ts';

/** A process of the installation, which is started again whenever it is killed. */
interface Member {
  readonly name: string;
  readonly entry: string;
  /** The port at which a gateway is found again after a restart. */
  readonly port: number | undefined;
  child: ChildProcess;
  isUp: boolean;
}

export interface KillRunOptions {
  readonly processes: LooseProcesses;
  readonly kills: number;
  /** The seed from which the order of the victims follows. */
  readonly seed: number;
  /** The number of pieces in every answer, as the provider counts them. */
  readonly pieces: number;
  /** The number of turns that stream at any time. */
  readonly turns: number;
  /** Further victims; each function kills one and resolves when it is back. */
  readonly others?: Readonly<Record<string, () => Promise<void>>>;
}

export interface KillRunReport {
  readonly turns: number;
  readonly killed: Readonly<Record<string, number>>;
  /** The number of resets over all readers. An attempt that a kill hit counts once for each of its two readers. */
  readonly resets: number;
  /** The longest time in milliseconds between two pieces of text that a reader got. */
  readonly silence: number;
  /** Everything that a client or the store must not show. */
  readonly wrong: readonly string[];
}

/**
 * Runs two gateways and two workers, of which one after the other is killed with SIGKILL while turns stream, each read
 * at both gateways. Every kill waits until readers have got some more frames since the previous kill, but not until the
 * previous victim is back.
 */
export class KillRun {
  readonly #options: KillRunOptions;
  readonly #random: Random;
  readonly #killed: Record<string, number> = {};
  readonly #wrong: string[] = [];
  readonly #back = new Set<Promise<unknown>>();
  readonly #members: Member[] = [];
  #frames = 0;
  #resets = 0;
  #silence = 0;
  #turns = 0;
  #isOver = false;

  constructor(options: KillRunOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<KillRunReport> {
    await this.#start();
    const streams = Array.from({ length: this.#options.turns }, () => this.#stream());
    for (let kills = 0; kills < this.#options.kills; kills += 1) {
      await this.#goneOn(1 + this.#random.below(4 * this.#options.pieces));
      await this.#kill();
    }
    this.#isOver = true;
    await Promise.all([...streams, ...this.#back]);
    return {
      turns: this.#turns,
      killed: this.#killed,
      resets: this.#resets,
      silence: this.#silence,
      wrong: this.#wrong,
    };
  }

  async #start(): Promise<void> {
    const { processes } = this.#options;
    for (const name of ['gateway 1', 'gateway 2', 'worker 1', 'worker 2']) {
      const isGateway = name.startsWith('gateway');
      const entry = isGateway ? 'src/gateway/main.ts' : 'worker/main.ts';
      const port = isGateway ? await drawFreePort() : undefined;
      this.#members.push({
        name,
        entry,
        port,
        child: (await processes.start(entry, port)).child,
        isUp: true,
      });
    }
  }

  async #goneOn(frames: number): Promise<void> {
    const until = this.#frames + frames;
    await eventually(`${frames} more frames`, () => this.#frames >= until);
  }

  /** Kills one process that serves; a process that is still starting is spared. */
  async #kill(): Promise<void> {
    const victims = [...this.#members.filter(({ isUp }) => isUp), ...Object.keys(this.#options.others ?? {})];
    const victim = this.#random.pick(victims);
    if (victim === undefined) return;
    const name = typeof victim === 'string' ? victim : victim.name;
    logLine(`kill ${name} after ${this.#frames} frames`);
    this.#killed[name] = (this.#killed[name] ?? 0) + 1;
    if (typeof victim === 'string') return this.#options.others?.[victim]?.();
    victim.isUp = false;
    await kill(victim.child);
    const back = this.#restart(victim);
    this.#back.add(back);
    void back.finally(() => this.#back.delete(back));
  }

  async #restart(member: Member): Promise<void> {
    member.child = (await this.#options.processes.start(member.entry, member.port)).child;
    member.isUp = true;
  }

  #clients(): ChatClient[] {
    return this.#members.flatMap(({ port }) =>
      port === undefined ? [] : [new ChatClient(`http://127.0.0.1:${port}`)],
    );
  }

  /** Plays one turn after the other until the last kill. */
  async #stream(): Promise<void> {
    while (!this.#isOver) {
      const clients = this.#clients();
      const requestId = randomUUID();
      const starter = clients[this.#turns % clients.length];
      this.#turns += 1;
      await starter?.start({ content: 'long', requestId, conversationId: requestId });
      const recordings = await Promise.all(
        clients.map((client) => client.follow(requestId, (frame) => this.#count(frame))),
      );
      for (const [at, frames] of recordings.entries()) {
        this.#check(`${requestId} at gateway ${at + 1}`, frames);
      }
      if (clients[0]) await this.#checkStored(clients[0], requestId, recordedText(recordings[0] ?? []));
    }
  }

  #count({ data }: RecordedFrame): void {
    this.#frames += 1;
    if (data['type'] === 'reset') this.#resets += 1;
  }

  #check(name: string, frames: readonly RecordedFrame[]): void {
    const texts = frames.filter(({ data }) => data['type'] === 'chunk');
    for (const [i, { at }] of texts.entries()) {
      this.#silence = Math.max(this.#silence, at - (texts[i - 1]?.at ?? at));
    }
    const numbers = readTimedText(recordedText(frames)).map(({ n }) => n);
    const isWhole = numbers.length === this.#options.pieces && numbers.every((n, i) => n === i + 1);
    const found = [...violations(frames), ...(isWhole ? [] : [`pieces ${numbers.join(' ')}`])];
    if (frames.at(-1)?.data['status'] !== 'completed') {
      found.push(`ended with ${JSON.stringify(frames.at(-1)?.data)}`);
    }
    this.#wrong.push(...found.map((what) => `${name}: ${what}`));
  }

  async #checkStored(client: ChatClient, requestId: string, text: string): Promise<void> {
    const path = `/api/chat/messages?project_id=test&conversation_id=${requestId}`;
    const read = async () => {
      const page = await client.json(path).catch(() => undefined);
      return page?.['messages'] as { sender: string; content: string }[] | undefined;
    };
    const messages = await eventually(`what is stored of ${requestId}`, read, 50);
    const replies = messages.filter(({ sender }) => sender !== 'user');
    if (replies.length === 1 && replies[0]?.content === text && messages.length === 2) return;
    this.#wrong.push(`${requestId}: stored ${JSON.stringify(messages)}`);
  }
}
