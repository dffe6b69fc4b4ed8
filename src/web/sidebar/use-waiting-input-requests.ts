import { useEffect, useState } from 'react';
import { type InputList, inputListSchema } from '../../contracts/http/input-api.ts';
import { listWaitingInputs } from '../http/reply-requests.ts';
import { listenAndRead } from './listen-and-read.ts';
import { mayNotify, notifyAbout } from './notifications.ts';

/**
 * The requests that wait for a person, in all conversations and projects of the key, as `listWaitingInputs` lists them.
 */
export type WaitingInputs = InputList['inputs'];

/** Name of two things: the lock that the listening tab holds, and the channel on which it tells the other tabs. */
const NAME = 'orion waiting inputs';

/**
 * Returns the requests that wait, in any conversation. They are kept up to date as long as the page is visible or may
 * notify. If the browser offers locks, one of its tabs listens for changes, and reads the list for all tabs.
 */
export const useWaitingInputRequests = (): WaitingInputs => {
  const [waiting, setWaiting] = useState<WaitingInputs>([]);
  useEffect(
    () =>
      whileWanted((signal) =>
        followWaiting(signal, (inputs) => {
          setWaiting(inputs);
          notifyAbout(inputs);
        }),
      ),
    [],
  );
  return waiting;
};

/**
 * Calls `run` when the page is visible or may notify, and aborts its signal when neither is true any longer. Both are
 * checked now and whenever the visibility changes. Returns a function that ends the checks and aborts the signal.
 */
const whileWanted = (run: (signal: AbortSignal) => void): (() => void) => {
  let runningJob: AbortController | undefined;
  const change = (): void => {
    const isWanted = !document.hidden || mayNotify();
    if (isWanted === (runningJob !== undefined)) return;
    runningJob?.abort();
    runningJob = isWanted ? new AbortController() : undefined;
    if (runningJob) run(runningJob.signal);
  };
  change();
  document.addEventListener('visibilitychange', change);
  return () => {
    document.removeEventListener('visibilitychange', change);
    runningJob?.abort();
  };
};

/** Calls `onFound` with the waiting requests whenever they were read, by this tab for all tabs or by another tab. */
const followWaiting = (signal: AbortSignal, onFound: (inputs: WaitingInputs) => void): void => {
  const channel = new BroadcastChannel(NAME);
  signal.addEventListener('abort', () => channel.close());
  channel.addEventListener('message', ({ data }) => {
    // Another tab may run another version of the page.
    const parsed = inputListSchema.safeParse(data);
    if (parsed.success) onFound(parsed.data.inputs);
  });
  const readList = async (): Promise<void> => {
    const result = await listWaitingInputs();
    if (!result.ok || signal.aborted) return;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel ends at its own origin
    channel.postMessage(result.value);
    onFound(result.value.inputs);
  };
  void takeLead(signal, readList);
};

/**
 * Makes this tab the one that listens and reads the list, if no other tab does. Otherwise reads the list once, and
 * listens when the other tab no longer does. Without locks, this tab always listens.
 */
const takeLead = async (signal: AbortSignal, readList: () => Promise<void>): Promise<void> => {
  const listen = (): Promise<void> => listenAndRead(signal, readList);
  // Browsers offer locks only to pages of this machine or over TLS. Without locks, each tab listens by itself.
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return listen();
  await locks.request(NAME, { ifAvailable: true }, (lock) => (lock === null ? readList() : listen()));
  // The lock is granted once the tab that holds it is closed, or is hidden and may not notify.
  await locks.request(NAME, { signal }, listen).catch(() => undefined);
};
