import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { drawFreePort } from '../../support/free-port.ts';
import type { Bench, Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { shuffle } from '../../support/random.ts';
import { atMost, SUMMARY_COLUMNS, summaryRow } from '../report.ts';
import { processesOfRole } from '../stack-processes.ts';
import { summarize } from '../statistics.ts';
import { lagsOf, openViewers, textOfEvent } from '../viewers.ts';

const CHUNKS_PER_SECOND = 50;
const SIZE = { full: { turns: 10, chunks: 100 }, quick: { turns: 1, chunks: 25 } };
/** The answer begins after this many milliseconds, when both readers are connected. */
const OPENING_MS = 500;
/** The bars of docs/performance.md: how many milliseconds more than at the gateway that started the turn. */
const BARS = { p50: 5, p99: 30 };

/** Returns the environment that the supervisor gave to the gateway of a stack. */
const environmentOf = async (pid: number): Promise<Record<string, string>> => {
  const variables = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(Boolean);
  return Object.fromEntries(
    variables.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
};

/** Starts a second gateway on the stack that the other figures measure; returns its base URL. */
const startOtherGateway = async ({ ground, processes }: Bench): Promise<string> => {
  const { orion } = await ground();
  const [pid] = await processesOfRole(orion, 'gateway');
  if (pid === undefined) throw new Error('other-gateway: expected a gateway in the stack, found none');
  const port = await drawFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  // The copied environment has the address of the first gateway, to which workers would send the events of this one's
  // turns.
  const own = { ORION_PORT: String(port), ORION_LIVE_ADDRESS: baseUrl };
  const env = { ...(await environmentOf(pid)), ...own };
  await processes.serve({ name: 'other-gateway', role: 'gateway', entry: 'src/gateway/main.ts', env });
  return baseUrl;
};

/** Reads a turn, started at `starter`, at each of the gateways; returns the lags at each gateway in the same order. */
const readAt = async (gateways: readonly string[], starter: string): Promise<number[][]> => {
  const id = randomUUID();
  const turn = { projectId: 'bench', conversationId: id, requestId: id, content: 'Tell me the time.' };
  const headers = { 'content-type': 'application/json' };
  const started = await fetch(`${starter}/api/turns`, {
    method: 'POST',
    headers,
    body: JSON.stringify(turn),
  });
  if (!started.ok) throw new Error(`other-gateway: expected a turn, received ${await started.text()}`);
  const viewers = await Promise.all(
    gateways.map((gateway) => openViewers(1, `${gateway}/api/turns/${id}/events`)),
  );
  return Promise.all(viewers.map((viewer) => lagsOf(viewer, textOfEvent)));
};

/** Measures what it costs a reader that another gateway started the turn. */
export const otherGateway: Figure = {
  name: 'other-gateway',
  title: `Chunk lag of a reader at the gateway that started the turn, and at another (ms)`,
  async measure(bench) {
    const { model, orion } = await bench.ground();
    const other = await startOtherGateway(bench);
    const { turns, chunks } = bench.isQuick ? SIZE.quick : SIZE.full;
    await model.answerAll(endingAfter([{ waitMs: OPENING_MS }, { chunks, perSecond: CHUNKS_PER_SECOND }]));
    const lags = { here: [] as number[], elsewhere: [] as number[] };
    for (let turn = 0; turn <= turns; turn += 1) {
      for (const starter of shuffle([orion.baseUrl, other], bench.random)) {
        const reader = starter === other ? orion.baseUrl : other;
        const [here = [], elsewhere = []] = await readAt([starter, reader], starter);
        // The first turn warms up.
        if (turn > 0) lags.here.push(...here);
        if (turn > 0) lags.elsewhere.push(...elsewhere);
      }
    }
    const [here, elsewhere] = [summarize(lags.here), summarize(lags.elsewhere)];
    return {
      columns: ['reader at', ...SUMMARY_COLUMNS],
      rows: [summaryRow('the gateway that started it', here), summaryRow('another', elsewhere)],
      checks: [
        atMost('another − the one that started it, p50', elsewhere.p50 - here.p50, BARS.p50, ' ms'),
        atMost('another − the one that started it, p99', elsewhere.p99 - here.p99, BARS.p99, ' ms'),
      ],
    };
  },
};
