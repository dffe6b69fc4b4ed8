import { afterEach, expect, it, jest } from '@jest/globals';
import { listConversations } from '../../../src/web/http/conversation-requests.ts';

afterEach(() => void jest.restoreAllMocks());

it('the list of conversations is read again where the database was away', async () => {
  const away = { error: 'The database cannot be reached.', code: 'database_unavailable', requestId: 'r' };
  const gateway = jest.spyOn(globalThis, 'fetch');
  gateway.mockResolvedValueOnce(Response.json(away, { status: 503, headers: { 'Retry-After': '0' } }));
  gateway.mockResolvedValueOnce(Response.json({ conversations: [], more: false }));
  expect(await listConversations({ projectId: 'p', limit: 1 })).toEqual({
    ok: true,
    value: { conversations: [], more: false },
  });
  expect(gateway.mock.calls.map(([path]) => path)).toEqual(
    Array(2).fill('/api/conversations?projectId=p&limit=1'),
  );
});
