/** Tests `/model` in a conversation, which asks the gateway whether it offers the model. */
import { expect, it } from '@jest/globals';
import { runLine } from '../../src/cli/chat/run-line.ts';
import type { CliContext } from '../../src/cli/command-context/cli-context.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../../src/cli/http/gateway-failures.ts';
import type { Conversation } from '../../src/cli/turn/conversation.ts';
import { partOf } from '../support/part-of.ts';

const conversation = partOf<Conversation>({ conversationId: 'c', model: 'small' });

/** Runs `/model <model>` at a gateway that answers `GET /api/info` with `answer`. */
const chooseModel = async (model: string, answer: { readonly models: string[] } | Error) => {
  const said: string[] = [];
  const report = (line: string): void => void said.push(line);
  const context = partOf<CliContext>({
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
    screen: { report, reportDimmed: report },
    info: { read: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)) },
  });
  const chat = partOf<Parameters<typeof runLine>[1]>({ conversation });
  return { next: await runLine(context, chat, `/model ${model}`), said };
};

const offered = { models: ['small', 'large'] };

it('a model that the gateway offers answers from the next message on, and a line says so', async () => {
  expect(await chooseModel('large', offered)).toEqual({
    next: { ...conversation, model: 'large' },
    said: ['The next message goes to the model large.'],
  });
});

it('any other model is refused with the list of those that are offered', async () => {
  expect(await chooseModel('nope', offered)).toEqual({
    next: conversation,
    said: ['/model: expected one of small, large, received nope'],
  });
});

it('a gateway that is too old to name its models gets the choice with the next message', async () => {
  const unknown = new GatewayRefusedError(404, { error: 'There is no such path.', code: 'not_found' });
  expect((await chooseModel('large', unknown)).next).toEqual({ ...conversation, model: 'large' });
});

it('a gateway that does not answer changes nothing', async () => {
  const away = new GatewayUnreachableError('http://gateway', new Error('ECONNREFUSED'));
  const { next, said } = await chooseModel('large', away);
  expect(next).toBe('failed');
  expect(said).toEqual([expect.stringContaining('http://gateway')]);
});
