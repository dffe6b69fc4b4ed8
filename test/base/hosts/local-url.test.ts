import { describe, expect, it } from '@jest/globals';
import { isEveryAddress, localUrlOf } from '../../../src/base/hosts/local-url.ts';

describe('the local URL of a server', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:5000'],
    ['0.0.0.0', 'http://127.0.0.1:5000'],
    ['localhost', 'http://localhost:5000'],
    ['192.168.0.1', 'http://192.168.0.1:5000'],
    ['::1', 'http://[::1]:5000'],
    ['::', 'http://[::1]:5000'],
    ['fd00::7', 'http://[fd00::7]:5000'],
  ])('at %s is %s', (host, url) => {
    expect(localUrlOf(host, 5000)).toBe(url);
    expect(new URL(url).origin).toBe(url);
  });
});

it('only the wildcards of IPv4 and IPv6 are every address', () => {
  const hosts = ['0.0.0.0', '::', '127.0.0.1', '::1', '10.0.0.0', 'fd00::'];
  expect(hosts.filter(isEveryAddress)).toEqual(['0.0.0.0', '::']);
});
