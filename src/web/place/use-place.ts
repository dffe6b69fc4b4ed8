import { useCallback, useEffect, useState } from 'react';
import { DEFAULT_PROJECT, type Navigate, type Place, readAddress, writeAddress } from './address.ts';
import { newPlace } from './new-place.ts';
import type { Failure, GatewayResult } from '../server/gateway-request.ts';
import { readTurnStatus } from '../server/requests.ts';

/** The conversation or view that the page shows, or why it can show none, and the way to another one. */
export interface PlaceInUse {
  /** The place that the address names; undefined while it is looked up, and when it was not found. */
  readonly place: Place | undefined;
  /** The reason why the only turn that a link names was not found. */
  readonly failure: Failure | undefined;
  readonly navigate: Navigate;
}

/** The place that the address names, and how to go to another one. */
export const usePlace = (projectId = DEFAULT_PROJECT): PlaceInUse => {
  const [linkedTurnId, setLinkedTurnId] = useState(linkedTurn);
  const [place, setPlace] = useState(() => (linkedTurnId === undefined ? readPlace(projectId) : undefined));
  const [failure, setFailure] = useState<Failure>();
  const showPlace = useCallback((at: Place | undefined, turnId?: string): void => {
    setLinkedTurnId(turnId);
    setFailure(undefined);
    setPlace(at);
  }, []);
  const navigate = useCallback<Navigate>(
    (next, replace) => {
      // What is open in the conversation stays open in its address.
      const hash = replace !== undefined && isAtPlace(next) ? location.hash : '';
      history[replace === undefined ? 'pushState' : 'replaceState'](null, '', writeAddress(next) + hash);
      showPlace(next);
    },
    [showPlace],
  );
  useEffect(() => {
    const onBack = (): void => {
      const turnId = linkedTurn();
      showPlace(turnId === undefined ? readPlace(projectId) : undefined, turnId);
    };
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, [projectId, showPlace]);
  const onFound = useCallback((found: GatewayResult<Place>): void => {
    if (found.ok) setPlace(found.value);
    else setFailure(found.failure);
  }, []);
  useLinked(linkedTurnId, onFound);
  return { place, failure, navigate };
};

/** Looks up the conversation of a link's turn; reports nothing once the link is another one. */
const useLinked = (linked: string | undefined, onFound: (found: GatewayResult<Place>) => void): void => {
  useEffect(() => {
    if (linked === undefined) return undefined;
    let isLeft = false;
    const find = async (): Promise<void> => {
      const answer = await readTurnStatus(linked);
      if (isLeft) return;
      if (!answer.ok) return onFound(answer);
      const { projectId, conversationId } = answer.value;
      onFound({ ok: true, value: { projectId, conversationId, turnId: linked } });
    };
    void find();
    return () => {
      isLeft = true;
    };
  }, [linked, onFound]);
};

const readPlace = (projectId: string): Place => {
  const said = readAddress(location.search);
  const place = { ...newPlace(projectId), ...said };
  history.replaceState(null, '', writeAddress(place) + location.hash);
  return place;
};

/** Returns true when the present address belongs to the same conversation or view. */
const isAtPlace = ({ conversationId, view }: Place): boolean => {
  const standing = readAddress(location.search);
  return standing.view === view && (view !== undefined || standing.conversationId === conversationId);
};

/** A link may name only a turn: its conversation is then looked up. */
const linkedTurn = (): string | undefined => {
  const { conversationId, turnId, view } = readAddress(location.search);
  return conversationId === undefined && view === undefined ? turnId : undefined;
};
