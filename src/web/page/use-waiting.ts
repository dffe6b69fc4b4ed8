import { useEffect, useState } from 'react';
import type { InputList } from '../../contracts/http/input-api.ts';
import { waitingInputs } from '../server/requests.ts';
import { mayNotify, notifyOf } from './notifications.ts';

/** The requests that wait for somebody, in any conversation of any project. */
export type WaitingInputs = InputList['inputs'];

/** While something elsewhere runs or waits, what it waits for is looked for so often. */
const BUSY_LOOK_MS = 15_000;
/** And as long as nothing does: a turn may be begun on a terminal. */
const IDLE_LOOK_MS = 120_000;

/**
 * The requests that wait for somebody in any conversation: looked for when `cause` changes, when somebody comes back to
 * the page, and now and then, as long as it is seen or may notify.
 */
export const useWaiting = (cause: string, isBusy: boolean): WaitingInputs => {
  const [waiting, setWaiting] = useState<WaitingInputs>([]);
  const looksOften = isBusy || waiting.length > 0;
  useEffect(() => {
    let isLeft = false;
    const ask = async (): Promise<void> => {
      if (document.hidden && !mayNotify()) return;
      const answer = await waitingInputs();
      if (!answer.ok || isLeft) return;
      setWaiting(answer.value.inputs);
      notifyOf(answer.value.inputs);
    };
    const look = (): void => void ask();
    look();
    const timer = setInterval(look, looksOften ? BUSY_LOOK_MS : IDLE_LOOK_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      isLeft = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [cause, looksOften]);
  return waiting;
};
