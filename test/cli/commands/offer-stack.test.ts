/** A person who begins to chat where no gateway answers is asked whether to start Orion; other commands do not ask. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { offerStack } from '../../../src/cli/commands/offer-stack.ts';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import { partOf } from '../../support/part-of.ts';

const listener = createServer((_request, response) => response.writeHead(404).end());
let url: string;
beforeEach(async () => {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
});
afterEach(() => void listener.close());

const silence = async (): Promise<void> => {
  listener.close();
  await once(listener, 'close');
};

const offered = async (typed: string | undefined, { isAddressed = false, isTTY = true } = {}) => {
  const said: string[] = [];
  const stdin = new PassThrough();
  if (typed === undefined) stdin.end();
  else stdin.write(typed);
  const context = partOf<CliContext>({
    cliProcess: { stdin, stderr: Object.assign(new PassThrough(), { isTTY }) },
    config: { url, isAddressed },
    screen: { report: (line: string) => said.push(line) },
  });
  const { kind: start, messages: kept } = await offerStack(context);
  return { start, kept, said: said.join('\n') };
};

it.each([
  ['\r', 'wanted'],
  ['y\r', 'wanted'],
  ['Yes\r', 'wanted'],
  ['n\r', 'declined'],
  ['\u0003', 'declined'],
  [undefined, 'declined'],
])('where nothing listens %j says %s, and the folder is named first', async (typed, start) => {
  await silence();
  const result = await offered(typed);
  expect(result.start).toBe(start);
  expect(result.said).toContain(process.cwd());
});

it('the offer keeps messages that are typed instead of an answer or behind it, and asks again', async () => {
  await silence();
  const result = await offered('what is this?\ry\rand that?\r\r');
  expect(result).toMatchObject({ start: 'wanted', kept: ['what is this?', 'and that?'] });
  expect(result.said).toContain('Your message will be sent once Orion runs.');
});

const unneeded = { start: 'unneeded', kept: [], said: '' };

it('nothing is offered where any server answers, where settings name a gateway, or without a terminal', async () => {
  expect(await offered('y\r')).toEqual(unneeded);
  await silence();
  expect(await offered('y\r', { isAddressed: true })).toEqual(unneeded);
  expect(await offered('y\r', { isTTY: false })).toEqual(unneeded);
});
