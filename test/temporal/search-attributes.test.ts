import { expect, it } from '@jest/globals';
import { SEARCH_ATTRIBUTE_KEYS } from '../../src/contracts/payload/search-attribute-keys.ts';
import { createHasSearchAttributes } from '../../src/temporal/search-attributes.ts';
import type { TemporalClient } from '../../src/temporal/temporal-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { partOf } from '../support/part-of.ts';
import { withoutDeadline } from '../support/without-deadline.ts';

const KEYWORD = 2;
const RETRY_AFTER_MS = 10_000;
const all = Object.fromEntries(SEARCH_ATTRIBUTE_KEYS.map(({ name }) => [name, KEYWORD]));

/** Starts to use a namespace whose lists and additions are counted. `add` is what additions do. */
const startNamespace = (add: (attributes: object) => void, isAway = false) => {
  const clock = new ManualClock();
  const namespace = { customAttributes: {}, add, isAway, lists: 0, additions: 0 };
  const warnings: string[] = [];
  const temporal = partOf<TemporalClient>({
    client: { withDeadline: withoutDeadline },
    namespace: 'default',
    connection: {
      operatorService: {
        listSearchAttributes: () => {
          namespace.lists += 1;
          const { customAttributes } = namespace;
          return namespace.isAway ? Promise.reject(new Error('away')) : Promise.resolve({ customAttributes });
        },
        addSearchAttributes: ({ searchAttributes }: { searchAttributes: object }) => {
          namespace.additions += 1;
          return new Promise<object>((resolve) => {
            namespace.add(searchAttributes);
            resolve({});
          });
        },
      },
    },
  });
  const has = createHasSearchAttributes(temporal, (message) => warnings.push(message), clock);
  return { namespace, warnings, clock, has };
};

const refuse = (): void => {
  throw new Error('not now');
};

it('attributes that were added are known from then on without another request', async () => {
  const { namespace, has, clock } = startNamespace((attributes) => (namespace.customAttributes = attributes));
  await expect(has()).resolves.toBe(true);
  clock.skip(10 * RETRY_AFTER_MS);
  await expect(has()).resolves.toBe(true);
  expect(namespace).toMatchObject({ customAttributes: all, additions: 1, lists: 2 });
});

it('attributes that could not be added are added later, when the reason has passed', async () => {
  const { namespace, has, clock, warnings } = startNamespace(refuse);
  await expect(has()).resolves.toBe(false);
  clock.skip(RETRY_AFTER_MS - 1);
  await expect(has()).resolves.toBe(false);
  expect(namespace.additions).toBe(1);
  clock.skip(1);
  await expect(has()).resolves.toBe(false);
  namespace.add = (attributes) => (namespace.customAttributes = attributes);
  clock.skip(RETRY_AFTER_MS);
  await expect(has()).resolves.toBe(true);
  expect(namespace.additions).toBe(3);
  expect(warnings).toEqual([expect.stringContaining('turns run without them: not now')]);
});

it('attributes that somebody else adds are found', async () => {
  const { namespace, has, clock } = startNamespace(refuse);
  await expect(has()).resolves.toBe(false);
  namespace.customAttributes = all;
  clock.skip(RETRY_AFTER_MS);
  await expect(has()).resolves.toBe(true);
});

it('attributes that have no effect yet are looked for again', async () => {
  const { namespace, has, clock, warnings } = startNamespace(() => undefined);
  await expect(has()).resolves.toBe(false);
  namespace.customAttributes = all;
  clock.skip(RETRY_AFTER_MS);
  await expect(has()).resolves.toBe(true);
  expect(warnings).toEqual([]);
});

it('attributes that were missing count as missing while the server is away, so that turns are stored', async () => {
  const { namespace, has, clock } = startNamespace(refuse);
  await expect(has()).resolves.toBe(false);
  namespace.isAway = true;
  clock.skip(RETRY_AFTER_MS);
  await expect(has()).resolves.toBe(false);
  namespace.isAway = false;
  namespace.customAttributes = all;
  await expect(has()).resolves.toBe(true);
});

it('a server that is away is asked again at once, and by only one request at a time', async () => {
  const { namespace, has } = startNamespace((attributes) => (namespace.customAttributes = attributes), true);
  await expect(has()).rejects.toThrow('away');
  namespace.isAway = false;
  await expect(Promise.all([has(), has()])).resolves.toEqual([true, true]);
  expect(namespace).toMatchObject({ additions: 1, lists: 3 });
});
