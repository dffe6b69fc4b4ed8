import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ArgumentCheck } from '../../../src/tools/mcp/argument-check.ts';

const NUMBERS = { type: 'object', properties: { n: { type: 'number' } } } as const;
/** A schema that cannot be sent to the thread. */
const UNCHECKABLE = { default: () => undefined };

let check: ArgumentCheck;
beforeEach(() => {
  check = new ArgumentCheck();
});
afterEach(() => check.close());

it('finds what does not fit, and gives up a schema that cannot be checked', async () => {
  const givenUp: string[] = [];
  const giveUp = (): void => void givenUp.push('given up');
  expect(await check.findIssues({ schema: NUMBERS, args: { n: 'seven' } }, giveUp)).toMatchObject([
    { path: ['n'] },
  ]);
  expect(givenUp).toEqual([]);
  expect(await check.findIssues({ schema: UNCHECKABLE, args: {} }, giveUp)).toEqual([]);
  expect(await check.findIssues({ schema: UNCHECKABLE, args: {} }, giveUp)).toEqual([]);
  expect(givenUp).toEqual(['given up']);
});

it('goes on with other schemas after a caller has thrown on giving one up', async () => {
  const failing = check.findIssues({ schema: UNCHECKABLE, args: {} }, () => {
    throw new Error('no log');
  });
  await expect(failing).rejects.toThrow('no log');
  expect(await check.findIssues({ schema: NUMBERS, args: { n: 7 } }, () => undefined)).toEqual([]);
});
