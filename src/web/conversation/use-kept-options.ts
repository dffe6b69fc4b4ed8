import { useCallback, useState } from 'react';
import { z } from 'zod';
import { modeSchema } from '../../contracts/tools/tool-call.ts';
import { protocolNameSchema } from '../../contracts/turn/turn-facts.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { keep, readKept } from '../kept/tab-storage.ts';
import { type AskOptions, FIRST_OPTIONS, offeredOptions } from './ask-options.ts';

const keptSchema = z.object({
  mode: modeSchema,
  protocol: protocolNameSchema,
  model: z.string().optional(),
});

/**
 * What somebody has chosen for the questions of a conversation: it stays in this tab, through a reload, too. `models`:
 * those that are offered; none where that is not known.
 */
export const useKeptOptions = ({ projectId, conversationId }: ConversationKey, models: readonly string[]) => {
  const name = `options ${projectId} ${conversationId}`;
  const [options, setOptions] = useState<AskOptions>(() => ({
    ...FIRST_OPTIONS,
    ...readKept(keptSchema, name, sessionStorage),
  }));
  const onOptions = useCallback(
    (chosen: AskOptions): void => {
      setOptions(chosen);
      keep(name, chosen, sessionStorage);
    },
    [name],
  );
  return { options: offeredOptions(options, models), onOptions };
};
