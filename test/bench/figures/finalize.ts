import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ProcessEntry } from '../../../src/stack/processes/processes-file.ts';
import type { OrionArm } from '../arms/orion-arm.ts';
import type { Bench, Figure } from '../figure.ts';
import { growthDuring } from '../process-memory.ts';
import { shuffle } from '../../support/random.ts';
import { rounded } from '../report.ts';
import { summarize } from '../statistics.ts';

const LIMIT = 10_485_760;
const BLOCKS = { full: 30, quick: 2 };
const JSON_RUNS = { full: 5, quick: 1 };
const WARM_UP = 10;
/** The bars of docs/performance.md in milliseconds and MiB; content in JSON may cost more. */
const BARS = { rawMs: 150, rawMiB: 15, jsonMs: 30_000, jsonMiB: 50 };

/** A line that resembles source code, some of whose characters JSON has to escape. */
const LINE = '  it("says \\"no\\"", () => expect(answer).toBe("nein – ünmöglich"));\n';
const contentOf = (seed: string): Buffer => Buffer.alloc(LIMIT, `${seed}\n${LINE}`).fill(0x2e, LIMIT - 100);

/**
 * Sends a body straight from memory. `fetch` would copy it first, which for 10 MiB costs the client 20 ms before the
 * first byte is sent.
 */
const send = async (
  orion: OrionArm,
  method: string,
  path: string,
  type: string,
  body: Buffer,
): Promise<void> => {
  const sending = request(`${orion.baseUrl}/api/write-session/${path}`, {
    method,
    headers: { 'content-type': type, 'content-length': body.length },
  });
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${answer}`);
};

const ask = async (orion: OrionArm, path: string, init?: RequestInit): Promise<Record<string, unknown>> => {
  const response = await fetch(`${orion.baseUrl}/api/write-session/${path}`, init);
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
};

/**
 * Begins a session whose workflow then waits for content, as while somebody writes, because its start is not measured.
 */
const begin = async (orion: OrionArm): Promise<string> => {
  const body = JSON.stringify({ target_file: `bench/${randomUUID()}.txt`, operation: 'create' });
  const headers = { 'content-type': 'application/json' };
  const sessionId = String((await ask(orion, 'begin', { method: 'POST', headers, body }))['session_id']);
  await ask(orion, `status/${sessionId}`);
  return sessionId;
};

/**
 * Returns the milliseconds that `work` takes: for a finalize, from the first sent byte to the answer that the file is
 * written.
 */
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

const finalizeRaw = (orion: OrionArm, id: string, content: Buffer): Promise<void> =>
  send(orion, 'PUT', `${id}/content`, 'text/plain', content);

const finalizeJson = (orion: OrionArm, body: Buffer): Promise<void> =>
  send(orion, 'POST', 'finalize', 'application/json', body);

/** Does what every durable write has to do: it brings the bytes and the name to the disk. */
const plainWrite = async (path: string, content: Buffer): Promise<void> => {
  const handle = await open(`${path}.tmp`, 'wx');
  await handle.writeFile(content);
  await handle.sync();
  await handle.close();
  await rename(`${path}.tmp`, path);
  const directory = await open(dirname(path));
  await directory.sync();
  await directory.close();
};

const gatewayOf = async ({ dataDir }: OrionArm): Promise<number> => {
  const entries = JSON.parse(await readFile(join(dataDir, 'processes.json'), 'utf8')) as ProcessEntry[];
  const gateway = entries.find(({ role }) => role === 'gateway');
  if (!gateway) throw new Error('expected a gateway among the processes of the stack');
  return gateway.pid;
};

interface Samples {
  readonly raw: number[];
  readonly rawMiB: number[];
  readonly plain: number[];
  readonly json: number[];
  readonly jsonMiB: number[];
}

/**
 * Finalizes a few short contents before the measurement, so that what a gateway loads and compiles only once is not
 * counted.
 */
const warmUp = async (orion: OrionArm): Promise<void> => {
  for (let run = 0; run < WARM_UP; run += 1) await finalizeRaw(orion, await begin(orion), Buffer.from(LINE));
};

const measureRaw = async (
  { isQuick, random }: Bench,
  orion: OrionArm,
  dir: string,
): Promise<Omit<Samples, 'json' | 'jsonMiB'>> => {
  const gateway = await gatewayOf(orion);
  const samples = { raw: [] as number[], rawMiB: [] as number[], plain: [] as number[] };
  const raw = async (): Promise<void> => {
    const content = contentOf(randomUUID());
    const id = await begin(orion);
    const grown = await growthDuring(gateway, async () => {
      samples.raw.push(await timed(() => finalizeRaw(orion, id, content)));
    });
    samples.rawMiB.push(grown);
  };
  const plain = async (): Promise<void> => {
    const content = contentOf(randomUUID());
    const path = join(dir, randomUUID());
    samples.plain.push(await timed(() => plainWrite(path, content)));
    await rm(path);
  };
  for (let block = 0; block < (isQuick ? BLOCKS.quick : BLOCKS.full); block += 1) {
    for (const arm of shuffle([raw, plain], random)) await arm();
  }
  return samples;
};

const measureJson = async (
  { isQuick }: Bench,
  orion: OrionArm,
): Promise<Pick<Samples, 'json' | 'jsonMiB'>> => {
  const gateway = await gatewayOf(orion);
  const samples = { json: [] as number[], jsonMiB: [] as number[] };
  for (let run = 0; run < (isQuick ? JSON_RUNS.quick : JSON_RUNS.full); run += 1) {
    const content = contentOf(randomUUID()).toString();
    const body = Buffer.from(JSON.stringify({ session_id: await begin(orion), content }));
    const grown = await growthDuring(gateway, async () => {
      samples.json.push(await timed(() => finalizeJson(orion, body)));
    });
    samples.jsonMiB.push(grown);
  }
  return samples;
};

const measure = async (bench: Bench): Promise<Samples> => {
  const { orion } = await bench.ground();
  const parent = join(orion.dataDir, 'bench-plain');
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, 'run-'));
  try {
    await warmUp(orion);
    return { ...(await measureRaw(bench, orion, dir)), ...(await measureJson(bench, orion)) };
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
};

/**
 * Measures a finalize of 10 MiB from the first sent byte to the committed file, and the memory that it takes in the
 * gateway.
 */
export const finalize: Figure = {
  name: 'finalize',
  title: 'Finalize of 10 MiB, fsynced (ms), and growth of the gateway (MiB)',
  async measure(bench) {
    const samples = await measure(bench);
    const [raw, plain, json] = [summarize(samples.raw), summarize(samples.plain), summarize(samples.json)];
    const row = (name: string, { n, p50, p95 }: typeof raw, growth: string): string[] => [
      name,
      String(n),
      rounded(p50),
      rounded(p95),
      `${rounded(p50 / plain.p50)}×`,
      growth,
    ];
    const [rawMiB, jsonMiB] = [Math.max(...samples.rawMiB), Math.max(...samples.jsonMiB)];
    return {
      columns: ['arm', 'N', 'p50', 'p95', '÷ plain p50', 'gateway + at most'],
      rows: [
        row('plain write, fsynced', plain, '—'),
        row('raw finalize', raw, rounded(rawMiB)),
        row('JSON finalize', json, rounded(jsonMiB)),
      ],
      checks: [
        { what: 'raw finalize, p50', value: raw.p50, bar: BARS.rawMs, side: 'at most', unit: ' ms' },
        {
          what: 'gateway during a raw finalize',
          value: rawMiB,
          bar: BARS.rawMiB,
          side: 'at most',
          unit: ' MiB',
        },
        { what: 'JSON finalize, p95', value: json.p95, bar: BARS.jsonMs, side: 'at most', unit: ' ms' },
        {
          what: 'gateway during a JSON finalize',
          value: jsonMiB,
          bar: BARS.jsonMiB,
          side: 'at most',
          unit: ' MiB',
        },
      ],
    };
  },
};
