import { useEffect, useState } from 'react';
import type { InputList } from '../../contracts/http/input-api.ts';
import { waitingInputs } from '../server/requests.ts';

/** What waits elsewhere is looked for so often while somebody sees the page. */
const LOOK_MS = 15_000;

/** What waits for somebody in any conversation; looked for anew when `cause` changes. */
export const useWaiting = (cause: unknown): InputList['inputs'] => {
  const [waiting, setWaiting] = useState<InputList['inputs']>([]);
  useEffect(() => {
    const ask = async (): Promise<void> => {
      if (document.hidden) return;
      const answer = await waitingInputs();
      if (answer.ok) setWaiting(answer.value.inputs);
    };
    const look = (): void => void ask();
    look();
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [cause]);
  return waiting;
};
