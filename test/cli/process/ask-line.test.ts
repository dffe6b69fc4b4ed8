import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { askLine } from '../../../src/cli/process/ask-line.ts';
import type { CliProcess } from '../../../src/cli/process/cli-process.ts';
import { partOf } from '../../support/part-of.ts';

const askWith = async (typed: string, endsInput = false) => {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  stdin.write(typed);
  if (endsInput) stdin.end();
  const cliProcess = partOf<CliProcess>({ stdin, stderr });
  const { reply, linesAfter } = await askLine(cliProcess, 'How many? ', (line) =>
    /^\d+$/.test(line) ? Number(line) : undefined,
  );
  return { reply, linesAfter, shown: String(stderr.read()) };
};

it('a question is asked until a line is a reply, and lines behind the reply are returned with it', async () => {
  expect(await askWith('7\r')).toMatchObject({ reply: 7, linesAfter: [] });
  expect(await askWith('some\r\r7\r8\rand linesAfter\r')).toMatchObject({
    reply: 7,
    linesAfter: ['8', 'and linesAfter'],
  });
});

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-C behind typed text', '7\u0003'],
  ['Ctrl-D', '\u0004'],
  ['the end of input', '', true],
  ['the end of input behind typed text', '7', true],
])(
  '%s means that there is no reply, and ends the row of the question',
  async (_key, typed, endsInput = false) => {
    const { reply, linesAfter, shown } = await askWith(typed, endsInput);
    expect({ reply, linesAfter }).toEqual({ reply: undefined, linesAfter: [] });
    expect(shown).toMatch(/How many\?.*\n$/);
  },
);

it('the end of input takes nothing from a reply before it, and leaves out text without Enter behind it', async () => {
  expect(await askWith('7\r', true)).toMatchObject({ reply: 7, linesAfter: [] });
  expect(await askWith('7\rand linesAfter\rhalf', true)).toMatchObject({
    reply: 7,
    linesAfter: ['and linesAfter'],
  });
});
