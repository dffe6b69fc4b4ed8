import { expect, it } from '@jest/globals';
import { GatewayRefusedError, GatewayUnreachableError } from '../../../src/cli/http/gateway-failures.ts';
import { DraftSender } from '../../../src/cli/write-session/draft-sender.ts';

/**
 * Creates the draft of a gateway, with the ways in which its answers can get lost. Unlike a real one, it belongs
 * to no session and has no limit of size.
 */
const createDraft = () => {
  let stored = '';
  let mishap: 'none' | 'request lost' | 'answer lost' | 'refused' = 'none';
  const addDraft = async (_id: string, offset: number, chunk: Uint8Array): Promise<{ offset: number }> => {
    const now = mishap;
    mishap = 'none';
    if (now === 'request lost') throw new GatewayUnreachableError('gateway', new Error('reset'));
    if (now === 'refused') throw new GatewayRefusedError(404, { error: 'gone', code: 'session_not_found' });
    if (offset !== stored.length) {
      throw new GatewayRefusedError(409, {
        error: 'offset',
        code: 'draft_offset',
        details: { offset: stored.length },
      });
    }
    stored += Buffer.from(chunk).toString('latin1');
    if (now === 'answer lost') throw new GatewayUnreachableError('gateway', new Error('reset'));
    return { offset: stored.length };
  };
  return {
    addDraft,
    get stored() {
      return stored;
    },
    next: (what: typeof mishap) => void (mishap = what),
  };
};

it('a draft is whole whatever requests or answers were lost on the way', async () => {
  const draft = createDraft();
  const sender = new DraftSender(draft, 's');
  for (const [text, what] of [
    ['one ', 'none'],
    ['two ', 'request lost'],
    ['three ', 'answer lost'],
    ['four', 'none'],
  ] as const) {
    draft.next(what);
    sender.add(Buffer.from(text));
    await sender.flush();
  }
  await sender.flush();
  expect(draft.stored).toBe('one two three four');
});

it('nothing more is sent to a session that refuses drafts', async () => {
  const draft = createDraft();
  const sender = new DraftSender(draft, 's');
  draft.next('refused');
  sender.add(Buffer.from('one'));
  await sender.flush();
  sender.add(Buffer.from('two'));
  await sender.flush();
  expect(draft.stored).toBe('');
});
