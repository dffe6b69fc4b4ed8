import type { FileHandle } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { writeBehind } from '../../../src/files/workspace/write-behind.ts';
import { partOf } from '../../support/part-of.ts';

const brokenSource = async function* (): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  await Promise.resolve();
  throw new Error('the source broke');
};

it('rejects with the error of the source, even if the write under way fails afterwards', async () => {
  const handle = partOf<FileHandle>({
    writeFile: () =>
      new Promise((_resolve, reject) => setImmediate(() => reject(new Error('the disk is full')))),
  });
  await expect(writeBehind(handle, brokenSource(), () => true)).rejects.toThrow('the source broke');
});

it('rejects with the error of the file if the source ends well', async () => {
  const handle = partOf<FileHandle>({ writeFile: () => Promise.reject(new Error('the disk is full')) });
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('a'));
  };
  await expect(writeBehind(handle, source(), () => true)).rejects.toThrow('the disk is full');
});
