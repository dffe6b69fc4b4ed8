import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { ZodError } from 'zod';
import { MAX_CHUNKS } from '../../../src/files/content-store/drafts.ts';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { chunksOf, cutAt, inTempStore } from '../support/temp-store.ts';

const sealed = async (store: ContentStore, session: string): Promise<string> => {
  const outcome = await store.drafts.seal(session);
  if (outcome.kind !== 'stored') return outcome.kind;
  const handle = await store.open(session, outcome.content.sha256);
  try {
    return (await handle?.readFile('utf8')) ?? 'missing';
  } finally {
    await handle?.close();
  }
};

describe('content store: drafts', () => {
  it('chunks cut anywhere, also inside characters, and sent twice, seal to the whole text', async () => {
    await inTempStore(10_000, async ({ store }) => {
      const cuts = fc.array(fc.nat(), { maxLength: 8 });
      const text = fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
        .map((body) => `# ${body}\r\n`);
      const check = async (body: string, places: number[]) => {
        const session = randomUUID();
        let offset = 0;
        for (const chunk of cutAt(Buffer.from(body), places)) {
          const next = { kind: 'stored', offset: offset + chunk.length };
          expect(await store.drafts.append(session, offset, chunksOf(chunk))).toEqual(next);
          if (chunk.length > 0) {
            expect(await store.drafts.append(session, offset, chunksOf(chunk))).toEqual({
              kind: 'offset',
              offset: next.offset,
            });
          }
          ({ offset } = next);
        }
        expect(await store.drafts.readSize(session)).toBe(offset);
        expect(await sealed(store, session)).toBe(body);
        await store.forget(session);
        expect(await sealed(store, session)).toBe('none');
      };
      await fc.assert(fc.asyncProperty(text, cuts, check), { numRuns: 60 });
    });
  });

  it('exactly one of many chunks for one offset, from two processes, is stored', async () => {
    await inTempStore(1_000_000, async ({ store, openAnother }) => {
      const session = randomUUID();
      const other = await openAnother();
      let text = '';
      for (let round = 0; round < 5; round += 1) {
        const offset = Buffer.byteLength(text);
        const bodies = Array.from({ length: 8 }, (_, n) => `${String(n).repeat(70_000 + n)}\n`);
        const outcomes = await Promise.all(
          bodies.map((body, n) =>
            (n % 2 === 0 ? store : other).drafts.append(
              session,
              offset,
              chunksOf(...cutAt(Buffer.from(body), [9, 65_536])),
            ),
          ),
        );
        const winners = bodies.filter((_, n) => outcomes[n]?.kind === 'stored');
        expect(winners).toHaveLength(1);
        text += winners.join('');
        const losers = outcomes.filter((outcome) => outcome?.kind === 'offset');
        expect(losers).toEqual(losers.map(() => ({ kind: 'offset', offset: Buffer.byteLength(text) })));
        expect(losers).toHaveLength(7);
      }
      expect((await sealed(store, session)) === text).toBe(true);
    });
  });

  it('a chunk whose sender dies is never counted; it is sent again at the same offset', async () => {
    await inTempStore(1_000, async ({ store }) => {
      const session = randomUUID();
      await store.drafts.append(session, 0, chunksOf('first '));
      const dying = async function* () {
        yield Buffer.from('sec');
        throw new Error('client gone');
      };
      await expect(store.drafts.append(session, 6, dying())).rejects.toThrow('client gone');
      expect(await store.drafts.readSize(session)).toBe(6);
      await store.drafts.append(session, 6, chunksOf('second'));
      expect(await sealed(store, session)).toBe('first second');
    });
  });

  it('a temp torn by a killed process is no part of a draft', async () => {
    await inTempStore(1_000, async ({ folder, store }) => {
      const session = randomUUID();
      await store.drafts.append(session, 0, chunksOf('whole'));
      await writeFile(join(folder, 'temps', randomUUID()), 'torn');
      await writeFile(join(folder, 'drafts', session, 'not-a-chunk'), 'torn');
      expect(await store.drafts.readSize(session)).toBe(5);
      expect(await sealed(store, session)).toBe('whole');
    });
  });

  it('the limit is that of the whole draft', async () => {
    await inTempStore(10, async ({ store }) => {
      const session = randomUUID();
      await store.drafts.append(session, 0, chunksOf('12345678'));
      expect(await store.drafts.append(session, 8, chunksOf('9', '01'))).toEqual({ kind: 'too_large' });
      expect(await store.drafts.append(session, 8, chunksOf('9', '0'))).toEqual({
        kind: 'stored',
        offset: 10,
      });
    });
  });

  it('a blank draft and one cut inside a character are refused as content is', async () => {
    await inTempStore(10, async ({ store }) => {
      const [blank, cut] = [randomUUID(), randomUUID()];
      await store.drafts.append(blank, 0, chunksOf(' \n'));
      await store.drafts.append(cut, 0, chunksOf(Buffer.from('a😀').subarray(0, 3)));
      expect(await sealed(store, blank)).toBe('blank');
      expect(await sealed(store, cut)).toBe('invalid_text');
    });
  });

  it('takes a bounded number of chunks, so that an append stays cheap; its text stays', async () => {
    await inTempStore(10_000, async ({ folder, store }) => {
      const session = randomUUID();
      await store.drafts.append(session, 0, chunksOf('a'));
      for (let at = 1; at < MAX_CHUNKS; at += 1) {
        await writeFile(join(folder, 'drafts', session, String(at).padStart(16, '0')), 'a');
      }
      expect(await store.drafts.append(session, MAX_CHUNKS, chunksOf('b'))).toEqual({ kind: 'too_many' });
      expect(await sealed(store, session)).toBe('a'.repeat(MAX_CHUNKS));
    });
  });

  it('an invalid session id reaches no file', async () => {
    await inTempStore(10, async ({ folder, store }) => {
      await writeFile(join(folder, 'x'), 'not a draft');
      await expect(store.drafts.append('../x', 0, chunksOf('a'))).rejects.toThrow(ZodError);
      await expect(store.forget('../x')).rejects.toThrow(ZodError);
      expect(await readFile(join(folder, 'x'), 'utf8')).toBe('not a draft');
    });
  });
});
