import { useEffect, useState } from 'react';
import { DEFAULT_PROJECT, type Place, readAddress, writeAddress } from './address.ts';
import { newPlace } from './new-place.ts';
import { turnStatus } from '../server/requests.ts';

const placeNow = (projectId: string): Place => {
  const said = readAddress(location.search);
  const place = { ...newPlace(projectId), ...said };
  history.replaceState(null, '', writeAddress(place) + location.hash);
  return place;
};

/** The place that the address names, and how to go to another one; `replace`: without a step to go back to. */
export const usePlace = (
  projectId = DEFAULT_PROJECT,
): readonly [Place | undefined, (place: Place, replace?: 'replace') => void] => {
  const [linked] = useState(linkedTurn);
  const [place, setPlace] = useState(() => (linked === undefined ? placeNow(projectId) : undefined));
  const go = (next: Place, replace?: 'replace'): void => {
    history[replace === undefined ? 'pushState' : 'replaceState'](null, '', writeAddress(next));
    setPlace(next);
  };
  useEffect(() => {
    const onBack = (): void => setPlace(placeNow(projectId));
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, [projectId]);
  useEffect(() => {
    if (linked === undefined) return;
    void turnStatus(linked).then((answer) =>
      setPlace(answer.ok ? { ...answer.value, turnId: linked } : placeNow(projectId)),
    );
  }, [linked, projectId]);
  return [place, go];
};

/** A link may name a turn alone: which conversation it belongs to is asked. */
const linkedTurn = (): string | undefined => {
  const { conversationId, turnId, view } = readAddress(location.search);
  return conversationId === undefined && view === undefined ? turnId : undefined;
};
