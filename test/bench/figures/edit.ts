import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { estimateUsage } from '../../../src/protocol/stream/token-usage.ts';
import { answer, answerWithCall } from '../../support/fake-model/responses.ts';
import { ask } from '../arms/ask.ts';
import type { Figure } from '../figure.ts';
import type { Ground } from '../ground.ts';
import { rounded } from '../report.ts';

const LINES = 400;
const CHANGED = 217;
const TARGET = 'src/calc.js';
/** The bar of docs/performance.md, in per cent of the tokens that writing the whole file again would take. */
const BAR = 1;

const lineOf = (n: number, rate = n): string => `  total += price(items[${n}], rates[${rate}]);`;
const fileOf = (rateOf: (n: number) => number): string =>
  Array.from({ length: LINES }, (_, i) => `${lineOf(i + 1, rateOf(i + 1))}\n`).join('');
const BEFORE = fileOf((n) => n);
const AFTER = fileOf((n) => (n === CHANGED ? n + 1 : n));

/** One way to change one line of the file, as the model has to write it. */
interface Way {
  readonly name: string;
  readonly tool: string;
  readonly args: object;
  /** The text of the model's next message. */
  readonly text?: string;
}

const WAYS: readonly Way[] = [
  {
    name: 'write anew',
    tool: 'WritePlanTool_begin',
    args: { target_file: TARGET, operation: 'overwrite' },
    text: `${AFTER}DONE\n`,
  },
  {
    name: 'edit',
    tool: 'FileSystemTool_edit_file',
    args: { path: TARGET, edits: [{ old: lineOf(CHANGED), new: lineOf(CHANGED, CHANGED + 1) }] },
  },
];

const tokensOf = ({ tool, args, text = '' }: Way): number =>
  estimateUsage(tool.length + JSON.stringify(args).length + text.length).completionTokens;

/** Changes the file in a chat on a real stack; resolves to whether the file then is what it should be. */
const changes = async ({ tool, args, text }: Way, { model, orion }: Ground): Promise<boolean> => {
  const path = join(orion.dataDir, 'workspace', TARGET);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, BEFORE);
  const texts = [...(text === undefined ? [] : [text]), 'Done.'];
  await model.follow([{ responses: [answerWithCall(tool, args), ...texts.map((one) => answer(one))] }]);
  await ask(orion, `Change line ${CHANGED} of ${TARGET}.`);
  return (await readFile(path, 'utf8')) === AFTER;
};

export const edit: Figure = {
  name: 'edit',
  title: `One line of a file of ${LINES}, changed by chat: tokens that the model says`,
  async measure({ ground }) {
    const on = await ground();
    const rows: string[][] = [];
    let wrong = 0;
    for (const way of WAYS) {
      if (!(await changes(way, on))) wrong += 1;
      rows.push([way.name, String(tokensOf(way))]);
    }
    const [anew = 0, edited = 0] = WAYS.map(tokensOf);
    const share = (100 * edited) / anew;
    return {
      columns: ['way', 'tokens'],
      rows: [...rows, ['share', `${rounded(share)} %`]],
      checks: [
        { what: 'files that differ', value: wrong, bar: 0, side: 'at most', unit: '' },
        { what: 'share of the tokens', value: share, bar: BAR, side: 'at most', unit: ' %' },
      ],
    };
  },
};
