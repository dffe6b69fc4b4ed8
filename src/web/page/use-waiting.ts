import { useEffect, useState } from 'react';
import { type InputList, inputListSchema } from '../../contracts/http/input-api.ts';
import { waitingInputs } from '../server/requests.ts';
import { mayNotify, notifyOf } from './notifications.ts';

/** The requests that wait for somebody, in any conversation of any project. */
export type WaitingInputs = InputList['inputs'];

/** While something elsewhere runs or waits, what it waits for is looked for so often. */
const BUSY_LOOK_MS = 15_000;
/** And as long as nothing does: a turn may be begun on a terminal. */
const IDLE_LOOK_MS = 120_000;
/** Tabs that have heard of one look take this much longer at most before the next, each another part of it. */
const SPREAD_MS = 5_000;
/** The channel on which all tabs of a browser hear what one has found: they ask with the same cookie. */
const CHANNEL = 'orion waiting inputs';

/**
 * The requests that wait for somebody in any conversation: looked for when `cause` changes, when somebody comes back to
 * the page, and now and then, as long as it is seen or may notify; by one tab of this browser for all of them.
 */
export const useWaiting = (cause: string, isBusy: boolean): WaitingInputs => {
  const [waiting, setWaiting] = useState<WaitingInputs>([]);
  const looksOften = isBusy || waiting.length > 0;
  useEffect(
    () =>
      lookNowAndThen(looksOften ? BUSY_LOOK_MS : IDLE_LOOK_MS, (inputs) => {
        setWaiting(inputs);
        notifyOf(inputs);
      }),
    [cause, looksOften],
  );
  return waiting;
};

/** Looks at once, and again whenever this tab has neither looked nor heard for a while. Returns how to end that. */
const lookNowAndThen = (periodMs: number, onFound: (inputs: WaitingInputs) => void): (() => void) => {
  const channel = new BroadcastChannel(CHANNEL);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLeft = false;
  const lookLater = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, periodMs + Math.random() * SPREAD_MS);
  };
  const ask = async (): Promise<void> => {
    lookLater();
    if (document.hidden && !mayNotify()) return;
    const answer = await waitingInputs();
    if (!answer.ok || isLeft) return;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel ends at its own origin
    channel.postMessage(answer.value);
    onFound(answer.value.inputs);
  };
  const look = (): void => void ask();
  channel.addEventListener('message', ({ data }) => {
    // A tab may have another version of the page.
    const heard = inputListSchema.safeParse(data);
    if (!heard.success) return;
    lookLater();
    onFound(heard.data.inputs);
  });
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    isLeft = true;
    clearTimeout(timer);
    channel.close();
    document.removeEventListener('visibilitychange', look);
  };
};
