import { useEffect, useState } from 'react';
import { type InputList, inputListSchema } from '../../contracts/http/input-api.ts';
import { listenForInputNews } from '../server/listen-for-news.ts';
import { listWaitingInputs } from '../server/requests.ts';
import { mayNotify, notifyAbout } from './notifications.ts';

/** The requests that wait for somebody, in any conversation of any project. */
export type WaitingInputs = InputList['inputs'];

/** Name of the lock of the tab that listens, and of the channel on which it tells all tabs of its browser. */
const NAME = 'orion waiting inputs';
const FIRST_PAUSE_MS = 1_000;
/** Milliseconds between two looks at the waiting requests while no news can be heard. */
const MAX_PAUSE_MS = 20_000;

/**
 * Returns the requests that wait in any conversation, as long as the page is visible or may notify. One tab of this
 * browser listens for changes, and reads the list for all tabs.
 */
export const useWaitingInputs = (): WaitingInputs => {
  const [waiting, setWaiting] = useState<WaitingInputs>([]);
  useEffect(
    () =>
      whileWanted((left) =>
        followWaiting(left, (inputs) => {
          setWaiting(inputs);
          notifyAbout(inputs);
        }),
      ),
    [],
  );
  return waiting;
};

/**
 * Runs work whenever the page is visible or may notify; aborts it when neither is so. Returns the function that ends
 * that.
 */
const whileWanted = (run: (left: AbortSignal) => void): (() => void) => {
  let left: AbortController | undefined;
  const change = (): void => {
    const isWanted = !document.hidden || mayNotify();
    if (isWanted === (left !== undefined)) return;
    left?.abort();
    left = isWanted ? new AbortController() : undefined;
    if (left) run(left.signal);
  };
  change();
  document.addEventListener('visibilitychange', change);
  return () => {
    document.removeEventListener('visibilitychange', change);
    left?.abort();
  };
};

/** Hears from another tab which requests wait, or finds it out for all tabs. */
const followWaiting = (left: AbortSignal, onFound: (inputs: WaitingInputs) => void): void => {
  const channel = new BroadcastChannel(NAME);
  left.addEventListener('abort', () => channel.close());
  channel.addEventListener('message', ({ data }) => {
    // A tab may have another version of the page.
    const heard = inputListSchema.safeParse(data);
    if (heard.success) onFound(heard.data.inputs);
  });
  const look = async (): Promise<void> => {
    const answer = await listWaitingInputs();
    if (!answer.ok || left.aborted) return;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel ends at its own origin
    channel.postMessage(answer.value);
    onFound(answer.value.inputs);
  };
  void takeLead(left, look);
};

/**
 * Reads the list at all news, in the one tab that listens; once in each of the others, which get the list from that tab
 * later.
 */
const takeLead = async (left: AbortSignal, look: () => Promise<void>): Promise<void> => {
  const lead = (): Promise<void> => listenAndRead(left, look);
  // Browsers have locks only on pages of this machine or over TLS; without them each tab listens by itself.
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return lead();
  await locks.request(NAME, { ifAvailable: true }, (lock) => (lock === null ? look() : lead()));
  // Resolved when the tab that leads was closed.
  await locks.request(NAME, { signal: left }, lead).catch(() => undefined);
};

/** Reads the list at all news, and from time to time while there is none. */
const listenAndRead = async (left: AbortSignal, look: () => Promise<void>): Promise<void> => {
  let pause = FIRST_PAUSE_MS;
  while (!left.aborted) {
    const wasHeard = await listenForInputNews(left, () => void look());
    if (left.aborted) return;
    if (!wasHeard) await look();
    pause = wasHeard ? FIRST_PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS);
    await pauseFor(pause, left);
  }
};

const pauseFor = (milliseconds: number, left: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    left.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
