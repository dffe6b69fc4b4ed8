import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { askLine } from '../../../src/cli/process/ask-line.ts';
import type { CliProcess } from '../../../src/cli/process/cli-process.ts';
import { partOf } from '../../support/part-of.ts';

const askWith = async (typed: string | undefined) => {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  if (typed === undefined) stdin.end();
  else stdin.write(typed);
  const process = partOf<CliProcess>({ stdin, stderr });
  const { reply, more } = await askLine(process, 'How many? ', (line) =>
    /^\d+$/.test(line) ? Number(line) : undefined,
  );
  return { reply, more, shown: String(stderr.read()) };
};

it('a question is asked until a line is a reply, and lines behind the reply are returned with it', async () => {
  expect(await askWith('7\r')).toMatchObject({ reply: 7, more: [] });
  expect(await askWith('some\r\r7\r8\rand more\r')).toMatchObject({ reply: 7, more: ['8', 'and more'] });
});

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-C behind typed text', '7\u0003'],
  ['Ctrl-D', '\u0004'],
  ['the end of input', undefined],
])('%s means that there is no reply, and ends the row of the question', async (_key, typed) => {
  const { reply, more, shown } = await askWith(typed);
  expect({ reply, more }).toEqual({ reply: undefined, more: [] });
  expect(shown).toMatch(/How many\?.*\n$/);
});
