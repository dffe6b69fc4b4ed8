import { describe, expect, it } from '@jest/globals';
import { answer } from '../support/fake-model/responses.ts';
import { clientOf, deltasOf, useFakeModel } from './client-fixture.ts';

const provider = useFakeModel();

describe('connections', () => {
  it('serve the next call after a whole answer', async () => {
    const client = clientOf(provider.fake);
    const ports = new Set<number | undefined>();
    // Node's fetch frees a connection a little after its answer has ended, so one call in a row may miss it; in the
    // ticks after an aborted call all do, which is why this has a file of its own.
    for (let calls = 0; calls === ports.size && calls < 30; calls += 1) {
      provider.fake.script(answer('ok'));
      await deltasOf(client);
      await provider.fake.requests[calls]?.closed;
      ports.add(provider.fake.requests[calls]?.clientPort);
    }
    expect(ports.size).toBeLessThan(provider.fake.requests.length);
  });
});
