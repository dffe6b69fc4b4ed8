import { describe, expect, it } from '@jest/globals';
import { mcpOutcome } from '../../../src/tools/mcp/mcp-result.ts';

const failed = (text: string, mayRunAgain = true) =>
  mcpOutcome({ isError: true, content: [{ type: 'text', text }] }, { mayRunAgain });

describe('a failure that an MCP server answers with', () => {
  it.each([
    'HTTP 503',
    'connection reset',
    'rate limited (429)',
    'HTTP 408',
    'status 425: too early',
    '429: not found in the cache, ask later',
    'timeout of 4000 ms',
    '',
  ])('may pass: %j', (text) => {
    expect(failed(text)).toMatchObject({ ok: false, isRetryable: true });
  });

  it.each([
    'File not found: a.md',
    'no such job',
    'table x does not exist',
    'Invalid arguments',
    'Permission denied',
    '403 Forbidden',
    'Unauthorized',
    'unauthorised',
    'HTTP 404',
    'request failed with status code 422',
  ])('lasts: %j', (text) => {
    expect(failed(text)).toEqual({ ok: false, error: text });
  });

  it('is never followed by a retry of a write, unless the write is idempotent', () => {
    expect(failed('HTTP 503', false)).toEqual({ ok: false, error: 'HTTP 503' });
  });

  it('is not retried by the runner, since the server has answered', () => {
    expect(failed('HTTP 503')).not.toHaveProperty('isTransient');
  });
});
