/*
 * The models that the turns of a conversation have asked first. They are read only if Orion has several models, and
 * `modelsOfAnswer` adds the ones that took over.
 */
import { createContext, useEffect, useState } from 'react';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { listTurns } from '../http/conversation-requests.ts';

/** The model that each turn has asked first, by turn id. */
export type ModelByTurn = ReadonlyMap<string, string>;

const NONE: ModelByTurn = new Map();

/** The first models of the turns of the conversation that is shown. Empty if Orion has only one model. */
export const FirstModels = createContext(NONE);

/** Largest number of turns whose model is shown below the answer. For older turns “What it did” shows it. */
const MAX_TURNS = 100;

/**
 * Returns the first models of the turns of a conversation, or none if Orion has only one model. Reads them again
 * whenever `reloadKey` changes.
 */
export const useFirstModels = (
  { projectId, conversationId }: ConversationKey,
  info: InfoResponse | undefined,
  reloadKey: string,
): ModelByTurn => {
  const [models, setModels] = useState(NONE);
  const hasSeveral = (info?.models.length ?? 0) > 1;
  useEffect(() => {
    if (!hasSeveral) return undefined;
    let isStale = false;
    const readModels = async (): Promise<void> => {
      const result = await listTurns({ projectId, conversationId, limit: MAX_TURNS });
      if (!result.ok || isStale) return;
      setModels(new Map(result.value.turns.map(({ turnId, model }) => [turnId, model])));
    };
    void readModels();
    return () => {
      isStale = true;
    };
  }, [projectId, conversationId, hasSeveral, reloadKey]);
  return models;
};
