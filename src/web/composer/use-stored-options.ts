import { useCallback, useState } from 'react';
import { z } from 'zod';
import { modeSchema } from '../../contracts/tools/tool-call.ts';
import { protocolNameSchema } from '../../contracts/turn/turn-facts.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { writeStored, readStored } from '../tab-storage/tab-storage.ts';
import { type MessageOptions, DEFAULT_OPTIONS, withOfferedModel } from './message-options.ts';

const storedSchema = z.object({
  mode: modeSchema,
  protocol: protocolNameSchema,
  model: z.string().optional(),
});

/**
 * Returns the options that a person has chosen for the messages of a conversation, and the function that changes them.
 * This tab keeps them through a reload. `models` are the offered ones; an empty list means that they are not known.
 */
export const useStoredOptions = (
  { projectId, conversationId }: ConversationKey,
  models: readonly string[],
) => {
  const name = `options ${projectId} ${conversationId}`;
  const [options, setOptions] = useState<MessageOptions>(() => ({
    ...DEFAULT_OPTIONS,
    ...readStored(storedSchema, name, sessionStorage),
  }));
  const onOptions = useCallback(
    (chosen: MessageOptions): void => {
      setOptions(chosen);
      writeStored(name, chosen, sessionStorage);
    },
    [name],
  );
  return { options: withOfferedModel(options, models), onOptions };
};
