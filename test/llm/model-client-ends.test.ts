import { describe, expect, it } from '@jest/globals';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { answer, longAnswer, readTimedText, refusal } from '../support/fake-model/responses.ts';
import {
  callOf,
  clientOf,
  deltasOf,
  failureOf,
  request,
  textOf,
  useFakeModel,
} from './support/client-fixture.ts';
import { withGrowingLimit } from '../support/growing-limit.ts';
import { cpuAdjustedNow } from '../support/own-time.ts';

// Covers how a call ends before its answer does: by timeouts, aborts, or readers that leave. All socket checks are made
// at the server.
const provider = useFakeModel();
const endless = { steps: [{ chunks: 'endless', perSecond: 100 }] } as const;

/** Starts a call and resolves once its first delta has arrived. */
const beginCall = async (signal: AbortSignal) => {
  const call = callOf(clientOf(provider.fake), request, signal);
  await call.begun;
  return { call, seen: await provider.fake.nextRequest() };
};

describe('abort', () => {
  it('closes the upstream socket and throws its reason', async () => {
    provider.fake.script(endless);
    const controller = new AbortController();
    const { call, seen } = await beginCall(controller.signal);
    const at = cpuAdjustedNow();
    controller.abort(new Error('user cancelled'));
    await expect(call.ended).rejects.toThrow('user cancelled');
    expect(await seen.closed).toBe('left');
    expect(cpuAdjustedNow() - at).toBeLessThan(10_000);
  });

  it('gives nothing more, even when the buffer has more frames', async () => {
    provider.fake.script(answer(...Array.from({ length: 50 }, (_, n) => `${n} `)));
    const controller = new AbortController();
    const { deltas, ended } = callOf(clientOf(provider.fake), request, controller.signal, () => {
      controller.abort(new Error('enough'));
      return 'more';
    });
    await expect(ended).rejects.toThrow('enough');
    expect(deltas).toEqual([{ type: 'text', text: '0 ' }]);
  });

  it('ends a wait for the first byte of the response', async () => {
    provider.fake.script({ steps: [{ stall: true }] });
    const controller = new AbortController();
    const call = deltasOf(clientOf(provider.fake), request, controller.signal);
    const seen = await provider.fake.nextRequest();
    controller.abort(new Error('early'));
    await expect(call).rejects.toThrow('early');
    expect(await seen.closed).toBe('left');
  });

  it('before the call makes no request', async () => {
    await expect(
      deltasOf(clientOf(provider.fake), request, AbortSignal.abort(new Error('no'))),
    ).rejects.toThrow('no');
    expect(provider.fake.requests).toHaveLength(0);
  });

  it('while the end is awaited is an abort, not an answer', async () => {
    provider.fake.script({ steps: [{ text: 'a' }, { finish: 'stop' }, { stall: true }] });
    const controller = new AbortController();
    const { call, seen } = await beginCall(controller.signal);
    controller.abort(new Error('late'));
    await expect(call.ended).rejects.toThrow('late');
    expect(await seen.closed).toBe('left');
  });
});

describe('a reader that stops', () => {
  it('closes the upstream socket', async () => {
    provider.fake.script(endless);
    const { deltas, ended } = callOf(clientOf(provider.fake), request, undefined, () => 'enough');
    const at = cpuAdjustedNow();
    await ended;
    expect(deltas).toHaveLength(1);
    const seen = await provider.fake.nextRequest();
    expect(await seen.closed).toBe('left');
    expect(cpuAdjustedNow() - at).toBeLessThan(10_000);
  });

  it('is given nothing more, even when the frame holds more', async () => {
    const delta = { reasoning_content: 'hm', content: 'a', tool_calls: [{ index: 0, id: 'x' }] };
    provider.fake.script({ steps: [{ frame: { choices: [{ index: 0, delta }] } }, { done: true }] });
    const call = callOf(clientOf(provider.fake), request, undefined, () => 'enough');
    await call.ended;
    expect(call.deltas).toEqual([{ type: 'reasoning', text: 'hm' }]);
  });

  it('ends the call with its error when it throws', async () => {
    provider.fake.script({ steps: [{ text: 'a' }, { finish: 'stop' }, { text: 'b' }, { stall: true }] });
    let taken = 0;
    const call = callOf(clientOf(provider.fake), request, undefined, () => {
      taken += 1;
      if (taken === 2) throw new Error('defect of the reader');
      return 'more';
    });
    await expect(call.ended).rejects.toThrow('defect of the reader');
    expect(await (await provider.fake.nextRequest()).closed).toBe('left');
  });
});

describe('timeouts', () => {
  it('end a call without a byte of an answer', async () => {
    provider.fake.script({ steps: [{ stall: true }] });
    const failure = await failureOf(clientOf(provider.fake, { idleTimeoutMs: 1_000 }));
    expect(failure).toMatchObject({ code: 'model_unavailable', isRetryable: true });
    expect(failure.message).toBe('The model provider sent nothing for 1 s.');
    expect(await (await provider.fake.nextRequest()).closed).toBe('left');
  });

  it('end a call that falls silent in mid-answer', async () => {
    provider.fake.script({ steps: [{ text: 'a' }, { stall: true }] });
    const failure = await failureOf(clientOf(provider.fake, { idleTimeoutMs: 60 }));
    expect(failure.message).toBe('The model provider sent nothing for 0.06 s.');
  });

  it.each([
    ['in mid-answer', { beyondMs: 200, afterFirst: true }],
    ['before the request is sent', { beyondMs: 700, afterFirst: false }],
  ])(
    'do not take a pause of this process for a silent provider: %s',
    async (_name, { beyondMs, afterFirst }) => {
      const beats = Array.from({ length: 20 }, (_, n) => [{ waitMs: 20 }, { text: `${n} ` }] as const).flat();
      const child = fork('test/support/fake-model/main.ts', {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const [{ port }] = (await once(child, 'message')) as [{ port: number }];
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      try {
        await withGrowingLimit(250, async (idleTimeoutMs) => {
          await fetch(`http://127.0.0.1:${port}/__script`, {
            method: 'POST',
            body: JSON.stringify({
              rules: [{ responses: [{ delayMs: 150, steps: [...beats, { done: true }] }] }],
            }),
          });
          const call = callOf(clientOf(provider.fake, { baseUrl, idleTimeoutMs }));
          if (afterFirst) await Promise.race([call.begun, call.ended]);
          blockProcess(idleTimeoutMs + beyondMs);
          await expect(call.ended).resolves.toBeUndefined();
        });
      } finally {
        child.disconnect();
        await once(child, 'exit');
      }
    },
  );

  it('do not end a call that is kept alive by comments', async () => {
    await withGrowingLimit(900, async (idleTimeoutMs) => {
      const beat = [{ waitMs: idleTimeoutMs / 3.6 }, { comment: 'OPENROUTER PROCESSING' }] as const;
      provider.fake.script({ steps: [...beat, ...beat, ...beat, ...beat, { text: 'a' }, { done: true }] });
      expect(textOf(await deltasOf(clientOf(provider.fake, { idleTimeoutMs })))).toBe('a');
    });
  });

  it('end a call that never ends', async () => {
    provider.fake.script(endless);
    const failure = await failureOf(clientOf(provider.fake, { totalTimeoutMs: 100 }));
    expect(failure).toMatchObject({ code: 'model_unavailable', isRetryable: true });
    expect(failure.message).toBe("The model's answer took longer than 0.1 s.");
    expect(await (await provider.fake.nextRequest()).closed).toBe('left');
  });

  it('end a call whose error answer stalls', async () => {
    provider.fake.script({ ...refusal(500, { message: 'x' }), headers: { 'content-length': '9999' } });
    const failure = await failureOf(clientOf(provider.fake, { idleTimeoutMs: 60 }));
    expect(failure.isRetryable).toBe(true);
  });
});

describe('connections', () => {
  it('carry a long timed answer whole and in order', async () => {
    provider.fake.script(longAnswer(200, 1_000));
    const chunks = readTimedText(textOf(await deltasOf(clientOf(provider.fake))));
    expect(chunks.map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });
});

/** Blocks this process; other processes go on. */
const blockProcess = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};
