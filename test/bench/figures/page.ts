import type { Browser, Page } from 'playwright-core';
import { ChatClient } from '../../support/chat-client.ts';
import { startChromium } from '../../support/chromium.ts';
import { answer } from '../../support/fake-model/responses.ts';
import type { Bench, Figure } from '../figure.ts';
import type { Ground } from '../ground.ts';
import { endingAfter } from '../model.ts';
import { atMost, rounded, SUMMARY_COLUMNS, summaryRow } from '../report.ts';
import { summarize } from '../statistics.ts';

const CHUNKS = { full: 10_000, quick: 200 };
const CHUNKS_PER_SECOND = 200;
/** The number of chunks in a paragraph of 1,500 characters. */
const PARAGRAPH = 60;
const TURNS = { full: 1_000, quick: 5 };
/** How often the page is opened, each time by a browser that has just started. */
const OPENED = { full: 5, quick: 1 };
/** How many turns run while a page shows one of them, and for how many milliseconds its requests are counted. */
const RUNNING = { full: 20, quick: 2 };
const OPEN_MS = { full: 30_000, quick: 1_000 };
const PROJECT = 'bench-page';
const ENDS_WITHIN_MS = 120_000;
/** After this many milliseconds a page that was just opened has requested all that it shows. */
const SETTLES_MS = 2_000;
/** The bars of docs/performance.md in milliseconds, kB and MB. */
const BARS = { paintMs: 1_000, kilobytes: 180, frameMs: 32, growthMb: 80, openMs: 500, requests: 0 };

/** Runs work on a page of a browser that is started only for it. */
const onPage = async <T>(work: (page: Page) => Promise<T>): Promise<T> => {
  const browser: Browser = await startChromium();
  try {
    return await work(await browser.newPage());
  } finally {
    await browser.close();
  }
};

/** Waits in the page, because the page may be complete before the browser reports when it painted first. */
const FIRST_PAINT = `
  new Promise((resolve) =>
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
    }).observe({ type: 'paint', buffered: true }))
`;

/** Returns the milliseconds until the page first shows something, and the size of its files on the wire. */
const firstPaint = (url: string) =>
  onPage(async (page) => {
    let bytes = 0;
    page.on('response', (response) => {
      if (!new URL(response.url()).pathname.startsWith('/api/')) {
        bytes += Number(response.headers()['content-length'] ?? 0);
      }
    });
    await page.goto(url);
    await page.getByLabel('Message').waitFor();
    const paint = await page.evaluate(FIRST_PAINT);
    return { paintMs: Number(paint), kilobytes: bytes / 1_000 };
  });

/** Returns the megabytes that scripts hold after a garbage collection. */
const heapOf = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1_000_000;
};

const WATCH_FRAMES = `
  globalThis.frames = [];
  let last = performance.now();
  const look = (now) => { globalThis.frames.push(now - last); last = now; requestAnimationFrame(look); };
  requestAnimationFrame(look);
`;

/**
 * Returns the milliseconds between frames while an answer streams, and by how much the memory of the page has grown
 * after it.
 */
const streamed = ({ model, orion }: Ground, chunks: number, paragraph: number) =>
  onPage(async (page) => {
    await model.answerAll(endingAfter([{ chunks, perSecond: CHUNKS_PER_SECOND, paragraph }]));
    await page.goto(orion.baseUrl);
    await page.getByLabel('Message').waitFor();
    const before = await heapOf(page);
    await page.getByLabel('Message').fill('Talk');
    await page.evaluate(WATCH_FRAMES);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy answer' }).waitFor({ timeout: ENDS_WITHIN_MS });
    const frames = (await page.evaluate('globalThis.frames')) as number[];
    return { frames: summarize(frames), growthMb: (await heapOf(page)) - before };
  });

const fill = async ({ model, orion }: Ground, turns: number): Promise<void> => {
  await model.answerAll(answer('A short answer, as it is said a thousand times.'));
  const chat = new ChatClient(orion.baseUrl);
  for (let n = 0; n < turns; n += 1) {
    const body = {
      projectId: PROJECT,
      conversationId: 'long',
      requestId: `page-${n}`,
      content: `Question ${n}`,
    };
    await (await chat.post('/api/chat/messages', body)).text();
  }
};

/** Returns the milliseconds from the request for the page to the newest answer of a long conversation. */
const opened = (url: string, turns: number): Promise<number> =>
  onPage(async (page) => {
    await page.goto(url);
    await page.getByLabel('Message').waitFor();
    const began = performance.now();
    await page.goto(`${url}/?project=${PROJECT}&conversation=long`);
    await page
      .getByText(`Question ${turns - 1}`, { exact: true })
      .first()
      .waitFor();
    return performance.now() - began;
  });

/**
 * Returns how many requests a page makes while it shows one of the running turns, counted once its streams are open.
 */
const requestsOf = async ({ model, orion }: Ground, turns: number, openMs: number): Promise<number> => {
  await model.answerAll(endingAfter([{ chunks: (openMs + ENDS_WITHIN_MS) / 100, perSecond: 10 }]));
  const chat = new ChatClient(orion.baseUrl);
  const ids = Array.from({ length: turns }, (_, n) => `page-running-${n}`);
  for (const requestId of ids) {
    await chat.start({ projectId: PROJECT, conversationId: requestId, requestId, content: 'Talk' });
  }
  const requests = await onPage(async (page) => {
    await page.goto(`${orion.baseUrl}/?project=${PROJECT}&conversation=${ids[0]}&turn=${ids[0]}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await page
      .getByRole('list', { name: 'Conversations' })
      .getByRole('link')
      .nth(turns - 1)
      .waitFor();
    await page.waitForTimeout(SETTLES_MS);
    let count = 0;
    page.on('request', () => (count += 1));
    await page.waitForTimeout(openMs);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ timeout: 1_000 });
    return count;
  });
  for (const id of ids) {
    await chat.post(`/api/turns/${id}/cancel`, {});
    await chat.follow(id);
  }
  return requests;
};

const repeat = async <T>(times: number, work: () => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let n = 0; n < times; n += 1) results.push(await work());
  return results;
};

const measurePage = async ({ isQuick, ground }: Bench) => {
  const size = isQuick ? 'quick' : 'full';
  const parts = await ground();
  const { baseUrl } = parts.orion;
  const paints = await repeat(OPENED[size], () => firstPaint(baseUrl));
  const { frames, growthMb } = await streamed(parts, CHUNKS[size], PARAGRAPH);
  const line = await streamed(parts, CHUNKS[size], CHUNKS[size]);
  await fill(parts, TURNS[size]);
  const opens = await repeat(OPENED[size], () => opened(baseUrl, TURNS[size]));
  const requests = await requestsOf(parts, RUNNING[size], OPEN_MS[size]);
  const paint = summarize(paints.map(({ paintMs }) => paintMs));
  const open = summarize(opens);
  const kilobytes = Math.max(...paints.map((one) => one.kilobytes));
  return {
    columns: ['milliseconds', ...SUMMARY_COLUMNS],
    rows: [
      summaryRow('first paint, browser just started', paint),
      summaryRow(`between frames of ${CHUNKS[size]} chunks`, frames),
      summaryRow('the same in one paragraph', line.frames),
      summaryRow(`to the end of ${TURNS[size]} turns`, open),
    ],
    checks: [
      atMost('page', kilobytes, BARS.kilobytes, ' kB'),
      atMost('first paint p95', paint.p95, BARS.paintMs, ' ms'),
      atMost('frames p95', frames.p95, BARS.frameMs, ' ms'),
      atMost('memory', growthMb, BARS.growthMb, ' MB'),
      atMost('long conversation p95', open.p95, BARS.openMs, ' ms'),
      atMost(`requests of a page open beside ${RUNNING[size]} running turns`, requests, BARS.requests),
    ],
    notes: [`the page holds ${rounded(growthMb)} MB more after the answer`],
  };
};

export const page: Figure = {
  name: 'page',
  title: 'The chat page: first paint, a long answer, a long conversation',
  measure: measurePage,
};
