import { describe, expect, it } from '@jest/globals';
import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { chunksOf, cutAt, inTempStore, SESSION } from '../support/temp-store.ts';

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

const read = async (store: ContentStore, hash: string): Promise<Buffer | undefined> => {
  const handle = await store.open(SESSION, hash);
  try {
    return await handle?.readFile();
  } finally {
    await handle?.close();
  }
};

/** Bytes that are nearly text: pieces of characters, blanks, and whole characters. */
const nearText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
      fc.constantFrom('\r\n', '\n', '\0', ' ', '\u3000', '\ufeff', '😀').map((text) => Buffer.from(text)),
      fc.constantFrom([0xf0, 0x9f], [0x98, 0x80], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xff]).map(Buffer.from),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));

describe('content store: put', () => {
  it('any bytes, cut anywhere, are kept byte by byte exactly when they are UTF-8 that is not blank', async () => {
    await inTempStore(10_000, async ({ folder, store }) => {
      const seen = { stored: 0, invalid_text: 0, blank: 0 };
      const cuts = fc.array(fc.nat(), { maxLength: 6 });
      const check = async (bytes: Buffer, places: number[]) => {
        const outcome = await store.put(SESSION, chunksOf(...cutAt(bytes, places)));
        const expected = !isUtf8(bytes) ? 'invalid_text' : /\S/.test(bytes.toString()) ? 'stored' : 'blank';
        expect(outcome.kind).toBe(expected);
        seen[expected] += 1;
        if (outcome.kind !== 'stored') return;
        const { content } = outcome;
        expect(content).toEqual({ sha256: sha256(bytes), bytes: bytes.length, lines: linesOf(bytes) });
        expect(await read(store, content.sha256)).toEqual(bytes);
      };
      await fc.assert(fc.asyncProperty(nearText, cuts, check), { numRuns: 300 });
      expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
      expect(await readdir(join(folder, 'temps'))).toEqual([]);
    });
  });

  it('byte order mark, CRLF, NUL, emoji and a missing final line break are content', async () => {
    await inTempStore(100, async ({ store }) => {
      const text = '\ufeffa\r\n\0 😀 no final newline';
      const stored = await store.put(SESSION, chunksOf(text));
      expect(stored).toEqual({
        kind: 'stored',
        content: { sha256: sha256(text), bytes: Buffer.byteLength(text), lines: 2 },
      });
      expect(await read(store, sha256(text))).toEqual(Buffer.from(text));
    });
  });

  it('says where text stops being UTF-8', async () => {
    await inTempStore(100, async ({ store }) => {
      expect(await store.put(SESSION, chunksOf('abcd', Buffer.from([0xff, 0x61])))).toEqual({
        kind: 'invalid_text',
        reason: 'content: expected UTF-8 text, received other bytes between byte 4 and byte 6',
      });
      expect(await store.put(SESSION, chunksOf('abc', Buffer.from([0xf0, 0x9f])))).toEqual({
        kind: 'invalid_text',
        reason: 'content: expected UTF-8 text, received other bytes at its end',
      });
    });
  });

  it('takes exactly the limit, and stops reading a source as soon as it passes it', async () => {
    await inTempStore(10, async ({ folder, store }) => {
      expect(await store.put(SESSION, chunksOf('12345', '67890'))).toMatchObject({ kind: 'stored' });
      let pulled = 0;
      const endless = async function* () {
        for (;;) {
          pulled += 1;
          yield Buffer.from('123456');
        }
      };
      expect(await store.put(SESSION, endless())).toEqual({ kind: 'too_large' });
      expect(pulled).toBe(2);
      expect(await readdir(join(folder, 'temps'))).toEqual([]);
    });
  });

  it('a source that breaks, and an abort while it is silent, leave nothing', async () => {
    await inTempStore(1_000, async ({ folder, store }) => {
      const broken = async function* () {
        yield Buffer.from('begun');
        throw new Error('client gone');
      };
      await expect(store.put(SESSION, broken())).rejects.toThrow('client gone');
      const cancel = new AbortController();
      const silent = async function* () {
        yield Buffer.from('begun');
        cancel.abort(new Error('too late'));
        await new Promise(() => undefined);
      };
      await expect(store.put(SESSION, silent(), cancel.signal)).rejects.toThrow('too late');
      expect((await readdir(folder)).sort()).toEqual(['drafts', 'temps', 'undo']);
      expect(await readdir(join(folder, 'temps'))).toEqual([]);
    });
  });

  it('twice the same at the same time makes one file, in a folder that only its owner may enter', async () => {
    await inTempStore(1_000_000, async ({ folder, store, openAnother }) => {
      const other = await openAnother();
      const bytes = Buffer.alloc(300_000, 'x');
      const puts = [store, other, store].map((one) =>
        one.put(SESSION, chunksOf(...cutAt(bytes, [65_536, 131_072]))),
      );
      const [first, ...rest] = await Promise.all(puts);
      expect(rest).toEqual([first, first]);
      const path = join(folder, `${SESSION}.${sha256(bytes)}`);
      expect((await stat(path)).isFile()).toBe(true);
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      expect(await read(other, sha256(bytes))).toEqual(bytes);
      expect(await store.has(SESSION, sha256('other'))).toBe(false);
    });
  });

  it('a name that is not a hash reaches no file', async () => {
    await inTempStore(100, async ({ store }) => {
      await expect(store.open(SESSION, '../../etc/passwd')).rejects.toThrow('expected 64 hexadecimal digits');
    });
  });
});

/** Counts lines as an editor does. */
const linesOf = (bytes: Buffer): number =>
  bytes.toString('latin1').split('\n').length - (bytes.at(-1) === 0x0a ? 1 : 0);

describe('content store: the end of a session', () => {
  it('takes its contents and its draft, and nothing of another session that has stored the same', async () => {
    await inTempStore(1_000, async ({ folder, store }) => {
      const [ended, open] = [randomUUID(), randomUUID()];
      for (const session of [ended, open]) {
        for (const text of ['same', 'other']) await store.put(session, chunksOf(text));
        await store.drafts.append(session, 0, chunksOf('draft'));
      }
      await store.forget(ended);
      await store.forget(ended);
      for (const text of ['same', 'other']) {
        expect(await store.has(ended, sha256(text))).toBe(false);
        expect(await store.has(open, sha256(text))).toBe(true);
      }
      const left = await readdir(folder, { recursive: true });
      expect(left.filter((name) => name.includes(ended))).toEqual([]);
      expect(await store.drafts.readSize(open)).toBe(5);
    });
  });

  it('keeps what files held before its commit, for an undo', async () => {
    await inTempStore(1_000, async ({ store }) => {
      const before = await store.undo.storeCopy(chunksOf('before'));
      await store.forget(SESSION);
      const handle = await store.undo.open(before.sha256);
      expect(await handle?.readFile('utf8')).toBe('before');
      await handle?.close();
    });
  });

  it('content that an earlier version has stored by its hash only is found', async () => {
    await inTempStore(1_000, async ({ folder, store }) => {
      await writeFile(join(folder, sha256('old')), 'old');
      expect((await read(store, sha256('old')))?.toString()).toBe('old');
    });
  });
});
