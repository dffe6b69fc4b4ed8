/**
 * `orion config` shows the settings with which a gateway runs, and says whose settings it shows when no gateway
 * answers.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createInterrupts, systemTimers, type CliProcess } from '../../../src/cli/process/cli-process.ts';
import { runCli } from '../../../src/cli/run-cli.ts';

let server: Server | undefined;
const stop = async (): Promise<void> => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
};
afterEach(stop);

const gatewayInfo = {
  version: '9.9.9',
  model: 'm',
  models: ['m'],
  temporalUi: null,
  workspace: '/w',
  settings: [
    { name: 'LOG_LEVEL', value: 'debug', isDefault: false },
    { name: 'ORION_PORT', value: '5000', isDefault: true },
    { name: 'ORION_UMASK', value: '', isDefault: true },
  ],
};

const gatewayThatAnswers = async (body: unknown, status = 200): Promise<string> => {
  server = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const config = async (env: Readonly<Record<string, string>>, ...argv: string[]) => {
  const written = { stdout: '', stderr: '' };
  const to = (name: keyof typeof written) => ({ write: (text: string) => ((written[name] += text), true) });
  const cliProcess: CliProcess = {
    stdin: globalThis.process.stdin,
    stdout: to('stdout'),
    stderr: to('stderr'),
    timers: systemTimers,
    interrupts: createInterrupts(() => undefined),
  };
  const code = await runCli(['config', ...argv], cliProcess, () => env);
  return { ...written, code };
};

it('`orion config` shows the settings of the running gateway, not those of this shell, and which are defaults', async () => {
  const url = await gatewayThatAnswers(gatewayInfo);
  const { stdout, code } = await config({ ORION_URL: url, LOG_LEVEL: 'warn', ORION_PROJECT: 'p' });
  const [gateway = '', command = ''] = stdout.split('\n\n');
  expect(code).toBe(0);
  expect(gateway.split('\n')).toEqual([
    `# Settings of the gateway at ${url} (Orion 9.9.9)`,
    'LOG_LEVEL=debug',
    'ORION_PORT=5000 # default',
    'ORION_UMASK= # unset',
  ]);
  expect(command).toMatch(/^# Settings of this command, from this shell and \.env\n/);
  expect(command).toContain(`ORION_URL=${url}\n`);
  expect(command).toContain('ORION_PROJECT=p\n');
  expect(command).toContain('RETRY_DELAY_MS=1000 # default\n');
});

it.each([
  [
    { ...gatewayInfo, settings: null },
    200,
    /^# The gateway at .* shows its settings to keys of all projects only\. /,
  ],
  [
    { error: 'A key is needed.', code: 'unauthorized' },
    401,
    /^# The gateway at .* does not say: A key is needed\./,
  ],
])('shows those of this shell where the gateway shows none, and says so', async (body, status, heading) => {
  const url = await gatewayThatAnswers(body, status);
  const { stdout, code } = await config({ ORION_URL: url, LOG_LEVEL: 'warn', ORION_API_KEY: 'hidden-key' });
  expect(code).toBe(0);
  expect(stdout).toMatch(heading);
  expect(stdout.split('\n')[0]).toMatch(/Settings of this shell and \.env, as `npm start` would use them$/);
  expect(stdout).toContain('\nLOG_LEVEL=warn\n');
  expect(stdout).toContain('\nMAX_TURN_MS=600000 # default\n');
  expect(stdout).not.toContain('hidden-key');
});

it('`orion config` shows the settings of this shell where no gateway answers, also as JSON, and unknown names', async () => {
  const url = await gatewayThatAnswers(gatewayInfo);
  await stop();
  const { stdout, stderr } = await config({ ORION_URL: url, ORION_TELESCOPE: '1' }, '--json');
  const shown = JSON.parse(stdout) as { settings: readonly unknown[] };
  expect(shown).toMatchObject({ source: 'shell', url, reason: expect.stringContaining('No answer from') });
  expect(shown.settings).toContainEqual({ name: 'ORION_PORT', value: '5000', isDefault: true });
  expect(stderr).toBe('ORION_TELESCOPE is not a setting of Orion\n');
});

it('`orion config` ends with the problems of this shell when its settings are asked for', async () => {
  await expect(config({ ORION_URL: 'http://127.0.0.1:9', TWO_STAGE_ENABLED: 'maybe' })).rejects.toThrow(
    'TWO_STAGE_ENABLED: expected',
  );
});
