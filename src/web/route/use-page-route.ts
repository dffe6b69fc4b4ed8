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
import { findProjectFailure } from './project-failure.ts';
import type { GatewayResult } from '../http/gateway-request.ts';
import type { Failure } from '../http/request-failure.ts';
import { readTurnStatus } from '../http/turn-requests.ts';

/** The reason why the page cannot show what the address names. */
export interface AddressFailure extends Failure {
  readonly subject: 'turn' | 'project';
}

/** What the page shows for an address. All fields are absent only while the turn of a link is looked up. */
interface Place {
  /** The conversation or view that the address names. */
  readonly route?: PageRoute;
  /**
   * The reason why the project of the address cannot be shown, or why the conversation of a linked turn could not be
   * read.
   */
  readonly failure?: AddressFailure;
  /** The turn whose conversation is looked up, because the address names no conversation and no view. */
  readonly linkedTurnId?: string;
}

/** What the page shows, and the function that goes to another route. */
export interface CurrentRoute extends Place {
  readonly navigate: Navigate;
}

/**
 * Returns the route that the address names, or why there is none, and the function that goes to another route.
 * `projects` are those that the person may use. Null means all.
 */
export const usePageRoute = (projects: readonly string[] | null): CurrentRoute => {
  const [place, setPlace] = useState(() => readPlace(projects));
  const navigate = useCallback<Navigate>((next, replace) => {
    // The hash says what is open in the conversation, and that stays open.
    const hash = replace !== undefined && isAtRoute(next) ? location.hash : '';
    history[replace === undefined ? 'pushState' : 'replaceState'](null, '', writeAddress(next) + hash);
    setPlace({ route: next });
  }, []);
  useEffect(() => {
    const onBack = (): void => setPlace(readPlace(projects));
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, [projects]);
  const onFound = useCallback((result: GatewayResult<PageRoute>): void => {
    setPlace(result.ok ? { route: result.value } : { failure: { ...result.failure, subject: 'turn' } });
  }, []);
  useLinkedTurn(place.linkedTurnId, onFound);
  return { ...place, navigate };
};

const readPlace = (projects: readonly string[] | null): Place => {
  const linkedTurnId = readLinkedTurnId();
  if (linkedTurnId !== undefined) return { linkedTurnId };
  const failure = findProjectFailure(location.search, projects);
  return failure ? { failure: { ...failure, subject: 'project' } } : { route: readRoute(projects) };
};

/** Looks up the conversation of a turn that a link names. Reports nothing once the address leads elsewhere. */
const useLinkedTurn = (
  turnId: string | undefined,
  onFound: (result: GatewayResult<PageRoute>) => void,
): void => {
  useEffect(() => {
    if (turnId === undefined) return undefined;
    let isStale = false;
    const find = async (): Promise<void> => {
      const result = await readTurnStatus(turnId);
      if (isStale) return;
      if (!result.ok) return onFound(result);
      const { projectId, conversationId } = result.value;
      onFound({ ok: true, value: { projectId, conversationId, turnId } });
    };
    void find();
    return () => {
      isStale = true;
    };
  }, [turnId, onFound]);
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
