import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const TRANSPORT = fileURLToPath(new URL('../../../src/tools/mcp/stdio-transport.ts', import.meta.url));

/** Sends twenty messages to a server, each larger than its pipe, and prints the warnings of Node meanwhile. */
const SCRIPT = `
  import { StdioTransport } from ${JSON.stringify(TRANSPORT)};
  process.on('warning', ({ name }) => console.log(name));
  const settings = { kind: 'stdio', command: 'sh', args: ['-c', 'cat > /dev/null'], env: {}, cwd: undefined };
  const transport = new StdioTransport(settings, { meter: {}, throttle: {}, onStderr() {}, onCut() {} });
  await transport.start();
  for (let id = 0; id < 20; id += 1) {
    await transport.send({ jsonrpc: '2.0', id, method: 'ping', params: { text: 'x'.repeat(1_000_000) } });
  }
  await transport.close();
  console.log('sent');
`;

it('messages that wait for a slow server leave no listeners behind', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT]);
  expect(stdout.trim().split('\n')).toEqual(['sent']);
});
