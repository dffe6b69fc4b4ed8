/** Covers how `npm start` is asked to stop. */
import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { waitForStopSignal } from '../../src/stack/stop-signals.ts';

it('the first signal ends the wait, and Ctrl-C also ends the line with ^C, once and only on a terminal', async () => {
  for (const { signal, isTTY, written } of [
    { signal: 'SIGINT', isTTY: true, written: ['\n'] },
    { signal: 'SIGINT', isTTY: false, written: [] },
    { signal: 'SIGTERM', isTTY: true, written: [] },
    { signal: 'SIGHUP', isTTY: true, written: [] },
  ]) {
    const signals = new EventEmitter();
    const texts: string[] = [];
    const stopped = waitForStopSignal(signals, { isTTY, write: (text) => texts.push(text) });
    signals.emit(signal);
    signals.emit(signal);
    expect(await stopped).toBe('stopped');
    expect(texts).toEqual(written);
  }
});
