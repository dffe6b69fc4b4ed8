import { doneEvent, type GatewayWorld, type HttpResponse } from '../../support/gateway-world.ts';

/**
 * Starts a turn in conversation `c` of project `a`, which says `Said.` and ends at once. Resolves to the response to
 * the start, also if it was refused. `fields` are added to the body.
 */
export const startAnsweredTurn = async (
  world: GatewayWorld,
  requestId: string,
  fields: object = {},
): Promise<HttpResponse> => {
  const body = { projectId: 'a', conversationId: 'c', content: `Say ${requestId}`, requestId, ...fields };
  const response = await world.post('/api/turns', body);
  if (response.status === 202) world.turns.end(requestId, doneEvent('Said.'));
  return response;
};
