/**
 * Covers a server that learned of search attributes a moment ago, and refuses starts that have them: no turn may be
 * lost to that.
 */
import { ServiceError, type Client } from '@temporalio/client';
import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../src/base/timing/clock.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import { isAttributeUnknown, startWithAttributes } from '../../src/temporal/search-attribute-delay.ts';
import { reconcileTurn, type ReconcileDeps } from '../../src/turn-service/reconcile.ts';
import { turnInput } from '../support/turn-fixtures.ts';
import { partOf } from '../support/part-of.ts';
import { withoutDeadline } from '../support/without-deadline.ts';

const grpcError = (code: number, details: string): Error =>
  new ServiceError('Failed to start Workflow', {
    cause: Object.assign(new Error(details), { code, details, metadata: {} }),
  });
const unknown = () =>
  grpcError(3, 'Namespace default has no mapping defined for search attribute OrionProtocol');

/** Returns a clock whose time passes only while somebody waits. */
const hurriedClock = (): Pick<Clock, 'now' | 'after'> => {
  let now = 0;
  return {
    now: () => now,
    after: (ms, run) => {
      now += ms;
      queueMicrotask(run);
      return () => undefined;
    },
  };
};

/** Returns a client that refuses the first `times` starts, and records for each whether it had attributes. */
const refusing = (times: number, error: () => Error = unknown) => {
  const asked: boolean[] = [];
  return {
    asked,
    start: (withAttributes: boolean): Promise<string> => {
      asked.push(withAttributes);
      return asked.length <= times ? Promise.reject(error()) : Promise.resolve('started');
    },
  };
};

describe('a start whose attributes the server does not know yet', () => {
  it('is repeated until it does', async () => {
    const server = refusing(2);
    await expect(startWithAttributes(server.start, hurriedClock())).resolves.toBe('started');
    expect(server.asked).toEqual([true, true, true]);
  });

  it('is made without them after three seconds', async () => {
    const server = refusing(15);
    await expect(startWithAttributes(server.start, hurriedClock())).resolves.toBe('started');
    expect(server.asked).toEqual([...Array.from({ length: 15 }, () => true), false]);
  });

  it.each([
    ['another argument is invalid', grpcError(3, 'workflow id too long')],
    ['the server is away', grpcError(14, 'no mapping defined for search attribute')],
    ['it is no answer of the server', new Error('no mapping defined for search attribute')],
  ])('is not assumed when %s', async (_what, error) => {
    const server = refusing(1, () => error);
    await expect(startWithAttributes(server.start, hurriedClock())).rejects.toBe(error);
    expect(server.asked).toEqual([true]);
    expect(isAttributeUnknown(error)).toBe(false);
  });
});

describe('reconcileTurn', () => {
  it('starts a turn whose attributes are unknown twice, with them', async () => {
    const attributes: boolean[] = [];
    const client = partOf<Client>({
      withDeadline: withoutDeadline,
      workflow: {
        start: (_name: string, options: { typedSearchAttributes?: unknown }) => {
          attributes.push(options.typedSearchAttributes !== undefined);
          return attributes.length <= 2 ? Promise.reject(unknown()) : Promise.resolve({});
        },
      },
    });
    const deps = { client, taskQueue: 'test' } as ReconcileDeps;
    const row = { input: turnInput('turn', { searchAttributes: true }) } as TurnRow;
    await expect(reconcileTurn(deps, row)).resolves.toBe('running');
    expect(attributes).toEqual([true, true, true]);
  });
});
