import { z } from 'zod';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { Tool } from '../tool.ts';

/**
 * A tool that a client has declared: its result is what the client has replied, which the turn has waited for before.
 * Whether arguments fit the declared schema the client alone says: it may have been made to hold a checker up for
 * years.
 */
export const createClientTool = ({ name, description, parameters, effect }: ClientTool): Tool => ({
  declaration: {
    name,
    effect,
    pathArguments: [],
    volatileFields: [],
    defaults: {},
    asks: 'client_tool',
  },
  aliases: [],
  description,
  input: z.record(z.string(), z.unknown()),
  parameters,
  // Nothing runs here: the reply is only stored.
  rerunnable: true,
  execute: (_input, { answer }) => {
    if (answer === undefined) {
      return Promise.resolve({ ok: false, error: 'the client has not run this call' });
    }
    const { ok, content } = answer;
    return Promise.resolve(ok ? { ok, result: content } : { ok, error: content });
  },
});
