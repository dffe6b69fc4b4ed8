/** The agent chooses a protocol, builds its context and delegates to it. */
import { describe, expect, it } from '@jest/globals';
import { OrionAgent } from '../../src/compat/orion-agent.ts';
import type { RunRequest } from '../../src/protocol/protocols/run-request.ts';
import { TwoStageProtocol } from '../../src/protocol/protocols/two-stage-protocol.ts';
import { collect, fakeTurn, terminalOf } from '../support/fake-ports.ts';

const request: RunRequest = {
  projectId: 'p1',
  requestId: 'r1',
  content: 'Question',
  mode: 'act',
  protocol: 'two_stage',
  config: {},
};

const agentOf = (turn = fakeTurn()) => ({ ...turn, agent: new OrionAgent(turn.context) });

describe('OrionAgent', () => {
  it('hands the content to the model as the user message', async () => {
    const { agent, adapter } = agentOf();
    const events = await collect(agent.handleRequestStreaming(request));
    expect(terminalOf(events)).toMatchObject({ type: 'done', fullContent: 'Hello.', reason: 'answered' });
    expect(adapter.calls[0]?.messages).toEqual([{ role: 'user', content: 'Question' }]);
  });

  it('hands over a whole conversation as it is', async () => {
    const { agent, adapter } = agentOf();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ] as const;
    await collect(agent.handleRequestStreaming({ ...request, messages }));
    expect(adapter.calls[0]?.messages).toEqual(messages);
  });

  it.each([
    ['two_stage', 'two-stage', 'first-complete-call'],
    ['standard', 'standard', 'end'],
  ] as const)('runs %s', async (protocol, name, stopAt) => {
    const { agent, adapter } = agentOf();
    await collect(agent.handleRequestStreaming({ ...request, protocol }));
    expect(agent.getCurrentProtocol().getName()).toBe(name);
    expect(adapter.calls[0]?.options.stopAt).toBe(stopAt);
  });

  it('says which protocol refuses', async () => {
    class Choosy extends TwoStageProtocol {
      override canHandle(): boolean {
        return false;
      }
    }
    const agent = new OrionAgent(fakeTurn().context, (_name, ports) => new Choosy(ports));
    const events = agent.handleRequestStreaming(request);
    await expect(collect(events)).rejects.toThrow('Protocol two-stage cannot handle request');
  });

  it('names what a request lacks', async () => {
    const { agent } = agentOf();
    const { content: _content, ...silent } = request;
    await expect(collect(agent.handleRequestStreaming(silent))).rejects.toThrow('content is required');
    const nameless = { ...request, projectId: '' };
    await expect(collect(agent.handleRequestStreaming(nameless))).rejects.toThrow('projectId is required');
  });
});
