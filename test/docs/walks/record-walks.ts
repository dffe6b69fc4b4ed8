/**
 * Writes test/docs/walks/walks.json: which files run for one word and for one upload, in the order in which each is
 * first entered. Run it by hand after a change of that path: `node test/docs/walks/record-walks.ts` (half a minute).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { drawFreePort } from '../../support/free-port.ts';
import { ChatClient } from '../../support/chat-client.ts';
import { startFakeModel, type FakeModel } from '../../support/fake-model/fake-model.ts';

/** One entry into a file: when, in milliseconds since 1970, and in which kind of process. */
interface Entry {
  readonly at: number;
  readonly side: string;
  readonly file: string;
}

/** After this many milliseconds earlier work has settled, and all that was recorded is written. */
const QUIET_MS = 1_500;

const startStack = async (
  dir: string,
  model: FakeModel,
  record: string,
): Promise<{ url: string; stop: () => Promise<void> }> => {
  const recorder = new URL('call-recorder.ts', import.meta.url);
  recorder.searchParams.set('to', record);
  const port = await drawFreePort();
  const child = spawn(process.execPath, ['src/stack/main.ts'], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_OPTIONS: `--import ${recorder.href}`,
      ORION_DATA_DIR: join(dir, 'data'),
      ORION_WORKSPACE: join(dir, 'workspace'),
      ORION_WORKERS: '1',
      ORION_PORT: String(port),
      ORION_POSTGRES_PORT: String(await drawFreePort()),
      ORION_TEMPORAL_PORT: String(await drawFreePort()),
      ORION_TEMPORAL_UI_PORT: String(await drawFreePort()),
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'sk-test',
      ORION_MODEL: 'fake',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const ended = exited.then(([code]) => Promise.reject(new Error(`the stack ended with ${String(code)}`)));
  const ready = async (): Promise<void> => {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('is ready')) return;
    throw new Error('the stack never was ready');
  };
  await Promise.race([ready(), ended]);
  ended.catch(() => undefined);
  return { url: `http://127.0.0.1:${port}`, stop: async () => (child.kill('SIGTERM'), void (await exited)) };
};

/**
 * Returns the steps of a walk: the files that run while the function from `prepare` does, each with its kind of
 * process. Only those that ran in each of three runs are returned, in the order of the last run.
 */
const walkDuring = async (record: string, prepare: () => Promise<() => Promise<void>>): Promise<string[]> => {
  const walks: string[][] = [];
  for (let run = 0; run < 3; run += 1) {
    const act = await prepare();
    await delay(QUIET_MS);
    const from = Date.now();
    await act();
    const to = Date.now() + 1;
    await delay(QUIET_MS);
    const entries = (await readFile(record, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    const during = entries.filter(({ at }) => at >= from && at <= to).toSorted((a, b) => a.at - b.at);
    walks.push([...new Set(during.map(({ side, file }) => `${side} ${file}`))]);
  }
  const [last = [], ...others] = walks.toReversed();
  return last.filter((step) => others.every((walk) => walk.includes(step)));
};

const oneWord = (chat: ChatClient, model: FakeModel) => async (): Promise<() => Promise<void>> => {
  model.clear();
  model.script({
    steps: [
      { text: 'Some words ' },
      { text: 'go ahead; ' },
      { gate: 'word' },
      { text: 'here ' },
      { gate: 'end' },
      { finish: 'stop' },
      { done: true },
    ],
  });
  const reader = await chat.chat({ content: 'Say a word.' });
  await reader.next(({ data }) => JSON.stringify(data).includes('ahead'));
  return async () => {
    model.release('word');
    await reader.next(({ data }) => JSON.stringify(data).includes('here'));
    setTimeout(() => model.release('end'), QUIET_MS / 2);
  };
};

let uploads = 0;

const oneUpload = (chat: ChatClient) => async (): Promise<() => Promise<void>> => {
  const body = JSON.stringify({ target_file: `upload-${(uploads += 1)}.txt`, operation: 'create' });
  const headers = { 'content-type': 'application/json' };
  const { session_id: id } = await chat.json('/api/write-session/begin', { method: 'POST', headers, body });
  return async () => {
    const answer = await chat.request(`/api/write-session/${String(id)}/content`, {
      method: 'PUT',
      body: 'Some text.\n',
    });
    if (!answer.ok) throw new Error(`the upload was refused: ${await answer.text()}`);
  };
};

const dir = await mkdtemp(join(tmpdir(), 'orion-walks-'));
const record = join(dir, 'entries');
await mkdir(join(dir, 'workspace'));
const model = await startFakeModel();
const { url, stop } = await startStack(dir, model, record);
const chat = new ChatClient(url);
const walks = {
  word: await walkDuring(record, oneWord(chat, model)),
  upload: await walkDuring(record, oneUpload(chat)),
};
await stop();
await model.close();
await rm(dir, { recursive: true, force: true });
await writeFile(new URL('walks.json', import.meta.url), `${JSON.stringify(walks, null, 2)}\n`);
