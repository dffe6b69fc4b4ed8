import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerWithCall } from '../../support/fake-model/responses.ts';
import { ask } from '../arms/ask.ts';
import type { Figure } from '../figure.ts';
import type { Ground } from '../ground.ts';
import { endingAfter } from '../model.ts';
import { rounded } from '../report.ts';
import { actionsBetween, readActions, type Actions } from '../server-actions.ts';

const LINES = { full: 5_000, quick: 500 };
/** With these pieces the model writes as many lines a second as fast models do. */
const LINES_PER_PIECE = 4;
const PIECE_GAP_MS = 8;
/** The bar of docs/performance.md for the actions of turn and session together. */
const MAX_ACTIONS = 40;

const lineOf = (n: number): string => `Line ${n}: "quotes", ünïcödé and all.\n`;

const fileOf = (lines: number): string => Array.from({ length: lines }, (_, i) => lineOf(i + 1)).join('');

const piecesOf = (file: string): readonly string[] =>
  file.match(new RegExp(`(?:.*\\n){1,${LINES_PER_PIECE}}`, 'g')) ?? [];

/** Returns the model's script: it begins a session, sends the file as its next text and then answers. */
const scriptFor = (target: string, file: string) => ({
  responses: [
    answerWithCall('WritePlanTool_begin', { target_file: target, operation: 'create' }),
    endingAfter([...piecesOf(file), 'DONE\n'].flatMap((text) => [{ waitMs: PIECE_GAP_MS }, { text }])),
    endingAfter([{ text: 'Written.' }]),
  ],
});

interface LongFile {
  readonly seconds: number;
  readonly bytes: number;
  readonly isIdentical: boolean;
  readonly actions: Actions;
}

const write = async (lines: number, { model, orion, temporal, metricsUrl }: Ground): Promise<LongFile> => {
  const { namespace } = temporal.options;
  const target = 'docs/long.md';
  const file = fileOf(lines);
  await model.follow([scriptFor(target, file)]);
  const before = await readActions(metricsUrl, namespace);
  const { pieces, askedAt } = await ask(orion, `Write ${target}.`);
  const seconds = ((pieces.at(-1)?.at ?? 0) - askedAt) / 1000;
  const actions = actionsBetween(before, await readActions(metricsUrl, namespace));
  const onDisk = await readFile(join(orion.dataDir, 'workspace', target)).catch(() => Buffer.alloc(0));
  return { seconds, bytes: onDisk.length, isIdentical: onDisk.equals(Buffer.from(file)), actions };
};

const total = (actions: Actions): number => [...actions.values()].reduce((sum, count) => sum + count, 0);

const shaOf = (lines: number): string =>
  createHash('sha256').update(fileOf(lines)).digest('hex').slice(0, 12);

export const longFile: Figure = {
  name: 'long-file',
  title: 'A file of 5,000 lines by chat: on disk, and its Temporal cost',
  async measure({ isQuick, ground }) {
    const lines = isQuick ? LINES.quick : LINES.full;
    const { seconds, bytes, isIdentical, actions } = await write(lines, await ground());
    const kinds = [...actions].map(([kind, count]) => `${count} ${kind}`).join(', ');
    return {
      columns: ['arm', 'lines', 'bytes', 'seconds', 'actions'],
      rows: [['orion', String(lines), String(bytes), rounded(seconds), String(total(actions))]],
      checks: [
        { what: 'files that differ', value: isIdentical ? 0 : 1, bar: 0, side: 'at most', unit: '' },
        { what: 'actions', value: total(actions), bar: MAX_ACTIONS, side: 'at most', unit: '' },
      ],
      notes: [`sha256 ${shaOf(lines)}…`, kinds],
    };
  },
};
