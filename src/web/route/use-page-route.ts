import { useCallback, useEffect, useState } from 'react';
import {
  DEFAULT_PROJECT,
  type Navigate,
  type PageRoute,
  projectOfAddress,
  readAddress,
  writeAddress,
} from './address.ts';
import { newConversationRoute } from './page-ids.ts';
import type { Failure, GatewayResult } from '../http/gateway-request.ts';
import { readTurnStatus } from '../http/turn-requests.ts';

/**
 * The conversation or view that the page shows, or the reason why it shows none, and the function that goes to another
 * route.
 */
export interface CurrentRoute {
  /** The route that the address names. Undefined while it is looked up, and after a failure. */
  readonly route: PageRoute | undefined;
  /**
   * The reason why the conversation of a linked turn could not be read. It is read only for an address that names a
   * turn, but neither a conversation nor a view.
   */
  readonly failure: Failure | undefined;
  readonly navigate: Navigate;
}

/**
 * Returns the route that the address names, and the function that goes to another route. `projects` are those that
 * the person may use. Null means all.
 */
export const usePageRoute = (projects: readonly string[] | null): CurrentRoute => {
  const [linkedTurnId, setLinkedTurnId] = useState(readLinkedTurnId);
  const [route, setRoute] = useState(() => (linkedTurnId === undefined ? readRoute(projects) : undefined));
  const [failure, setFailure] = useState<Failure>();
  const showRoute = useCallback((at: PageRoute | undefined, turnId?: string): void => {
    setLinkedTurnId(turnId);
    setFailure(undefined);
    setRoute(at);
  }, []);
  const navigate = useCallback<Navigate>(
    (next, replace) => {
      // The hash says what is open in the conversation, and that stays open.
      const hash = replace !== undefined && isAtRoute(next) ? location.hash : '';
      history[replace === undefined ? 'pushState' : 'replaceState'](null, '', writeAddress(next) + hash);
      showRoute(next);
    },
    [showRoute],
  );
  useEffect(() => {
    const onBack = (): void => {
      const turnId = readLinkedTurnId();
      showRoute(turnId === undefined ? readRoute(projects) : undefined, turnId);
    };
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, [projects, showRoute]);
  const onFound = useCallback((found: GatewayResult<PageRoute>): void => {
    if (found.ok) setRoute(found.value);
    else setFailure(found.failure);
  }, []);
  useLinked(linkedTurnId, onFound);
  return { route, failure, navigate };
};

/** Looks up the conversation of a turn that a link names. Reports nothing once the address leads elsewhere. */
const useLinked = (linked: string | undefined, onFound: (found: GatewayResult<PageRoute>) => void): void => {
  useEffect(() => {
    if (linked === undefined) return undefined;
    let isLeft = false;
    const find = async (): Promise<void> => {
      const result = await readTurnStatus(linked);
      if (isLeft) return;
      if (!result.ok) return onFound(result);
      const { projectId, conversationId } = result.value;
      onFound({ ok: true, value: { projectId, conversationId, turnId: linked } });
    };
    void find();
    return () => {
      isLeft = true;
    };
  }, [linked, onFound]);
};

const readRoute = (projects: readonly string[] | null): PageRoute => {
  const addressed = readAddress(location.search);
  const route = { ...newConversationRoute(projectOfAddress(addressed, projects)), ...addressed };
  // A reload must show the same conversation, even if it is new.
  history.replaceState(null, '', writeAddress(route) + location.hash);
  return route;
};

/** Reports whether the address belongs to the same conversation or view as a route. */
const isAtRoute = ({ projectId, conversationId, view }: PageRoute): boolean => {
  const { projectId: project = DEFAULT_PROJECT, ...current } = readAddress(location.search);
  const isSamePlace = project === projectId && current.view === view;
  return isSamePlace && (view !== undefined || current.conversationId === conversationId);
};

/**
 * Returns the turn of an address that names neither a conversation nor a view. The conversation of that turn has to be
 * looked up.
 */
const readLinkedTurnId = (): string | undefined => {
  const { conversationId, turnId, view } = readAddress(location.search);
  return conversationId === undefined && view === undefined ? turnId : undefined;
};
