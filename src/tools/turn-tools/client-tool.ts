import { z } from 'zod';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { Tool } from '../tool.ts';

/**
 * Creates a tool that a client has declared. Its result is the client's reply, for which the turn has waited before it
 * runs the tool. Only the client checks whether arguments fit the declared schema, since a schema may be made to hold
 * up a checker for years.
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
  mayRunAgain: true,
  execute: (_input, { answer }) => {
    if (answer === undefined) {
      return Promise.resolve({ ok: false, error: 'the client has not run this call' });
    }
    const { ok, content } = answer;
    return Promise.resolve(ok ? { ok, result: content } : { ok, error: content });
  },
});
