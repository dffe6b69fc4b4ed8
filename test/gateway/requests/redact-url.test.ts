/** Checks what the log says of a URL: a secret in it must not stay there. */
import { afterEach, expect, it } from '@jest/globals';
import { redactUrl } from '../../../src/gateway/requests/redact-url.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

const KEY = 'sk-canary-123456789012345678901234';
let world: GatewayWorld | undefined;
afterEach(() => world?.close());

it('no secret is in the line that is written for a request', async () => {
  world = await GatewayWorld.open();
  await world.get(`/api/turns/x?key=${KEY}`);
  await world.get(`/nowhere/${KEY}?projectId=p`);
  const urls = world.logLines.map(({ req }) => (req as { url?: string } | undefined)?.url);
  expect(urls).toEqual(['/api/turns/x?key=[redacted]', '/nowhere/[redacted]?projectId=p']);
  expect(JSON.stringify(world.logLines)).not.toContain('canary');
});

it.each([
  'key',
  '%zz_key',
  'KEY',
  'token',
  'api_key',
  'apiKey',
  'api%5Fkey',
  'x-api-key',
  'access_token',
  'accessToken',
  'password',
  'client_secret',
  'authorization',
  'key[]',
  '%6Bey',
])('%s is masked whatever it holds', (name) => {
  for (const value of ['1', 'true', 'a,b;c)d', 'a=b', '%', 'Basic%20YTpi', '']) {
    expect(redactUrl(`/a?b=c&${name}=${value}&d=e`)).toBe(`/a?b=c&${name}=[redacted]&d=e`);
  }
});

it.each([
  [`/a?q=${KEY}`, '/a?q=[redacted]'],
  [`/a?${KEY}`, '/a?[redacted]'],
  [`/a?${KEY}=1`, '/a?[redacted]=1'],
  [`/a?q=x%20s%6B-canary-123456789012`, '/a?q=x [redacted]'],
  ['/a/s%6B-canary-123456789012/b', '/a/[redacted]/b'],
  ['/a?q=Bearer+abcdef', '/a?q=Bearer [redacted]'],
  ['/a/password=hunter2', '/a/password=[redacted]'],
  ['/a?q=%zz%ff/s%6B-canary-123456789012', '/a?q=%zz%ff/[redacted]'],
  ['/a?q=Bearer:abc+def/a%2Fb', '/a?q=Bearer [redacted]%2Fb'],
  ['http://me:hunter2@localhost/a', 'http://me:[redacted]@localhost/a'],
])('%s is logged as %s', (url, logged) => {
  expect(redactUrl(url)).toBe(logged);
});

it.each([
  '/',
  '/api/trace/logs?projectId=p&limit=10&requestId=a%3Ab&q=a+b',
  '/a?keyword=x&monkeys=2',
  '/a?',
  '/a?&&=&x',
  '/%',
  '/a?b=c?d=e',
])('%s stays as it came', (url) => {
  expect(redactUrl(url)).toBe(url);
});
