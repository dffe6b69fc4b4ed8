import { setTimeout as delay } from 'node:timers/promises';
import type { Arm } from '../arms/arm.ts';
import { ask } from '../arms/ask.ts';
import { CALL_MS } from '../cloud.ts';
import { inRandomBlocks } from '../comparison.ts';
import type { Figure } from '../figure.ts';
import { endingAfter } from '../model.ts';
import { atMost, rounded } from '../report.ts';
import { summarize } from '../statistics.ts';

const WARM_UP_BLOCKS = 5;
const BLOCKS = { full: 50, quick: 3 };
const REST_MS = 100;
/**
 * The bar of docs/performance.md for the median in milliseconds: three calls to Temporal plus the bar of first-token.
 */
const BAR = 75;

export const cloud: Figure = {
  name: 'cloud',
  title: `Time to first token when every call to Temporal takes ${CALL_MS} ms more (ms)`,
  async measure({ isQuick, random, ground, cloud: startedCloud }) {
    const { model, arms } = await ground();
    const measured: readonly Arm[] = [
      ...arms.filter(({ name }) => name === 'proxy'),
      ...(await startedCloud()),
    ];
    await model.answerAll(endingAfter([{ text: 'Hello' }, { text: ' there.' }]));
    const run = (blocks: number) =>
      inRandomBlocks(measured, blocks, random, async (arm) => {
        const { askedAt, pieces } = await ask(arm, 'Hello?');
        await delay(REST_MS);
        return pieces.slice(0, 1).map(({ at }) => at - askedAt);
      });
    await run(WARM_UP_BLOCKS);
    const samples = await run(isQuick ? BLOCKS.quick : BLOCKS.full);
    const of = (name: Arm['name']) => summarize(samples.get(name) ?? []);
    const proxy = of('proxy');
    return {
      columns: ['arm', 'N', 'p50', 'p95', 'p99', '− proxy p50'],
      rows: measured.map(({ name }) => {
        const { n, p50, p95, p99 } = of(name);
        return [name, String(n), ...[p50, p95, p99, p50 - proxy.p50].map(rounded)];
      }),
      checks: [atMost('orion − proxy, p50', of('orion').p50 - proxy.p50, BAR, ' ms')],
    };
  },
};
