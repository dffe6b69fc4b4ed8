import { expect, it } from '@jest/globals';
import { countedAddress } from '../../../src/gateway/access/counted-address.ts';

it('an IPv4 address counts by itself, however it is written', () => {
  expect(countedAddress('192.0.2.7')).toBe('192.0.2.7');
  expect(countedAddress('::ffff:192.0.2.7')).toBe('192.0.2.7');
});

it('all addresses of an IPv6 subnet count as one, and those of another do not', () => {
  const counted = countedAddress('2001:db8:1:200::1');
  expect(countedAddress('2001:db8:1:2ff:ffff::9')).toBe(counted);
  expect(countedAddress('2001:db8:1:300::1')).not.toBe(counted);
});

it('connections that have closed count together', () => {
  expect(countedAddress(undefined)).toBe('');
});
