import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';

it('the demo model as a process reports its port, and ends when its parent is gone', async () => {
  const child = fork('src/demo-model/main.ts', ['0'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [ready] = (await once(child, 'message')) as [{ ready: boolean; port: number }];
  expect(ready).toEqual({ ready: true, port: expect.any(Number) });
  const models = await fetch(`http://127.0.0.1:${ready.port}/v1/models`);
  expect(await models.json()).toMatchObject({ data: [{ id: 'orion-demo' }] });
  child.disconnect();
  expect((await once(child, 'exit'))[0]).toBe(0);
});

it('an invalid port stops it with a clear message', async () => {
  const child = fork('src/demo-model/main.ts', ['http'], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let words = '';
  child.stderr?.on('data', (part) => (words += part));
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(words).toContain('port: expected 0 to 65535, received http');
});
