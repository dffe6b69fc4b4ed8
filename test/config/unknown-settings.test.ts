/** Settings with an unknown name are reported, together with the name that was probably meant. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { cliSettingsSchema } from '../../src/config/settings/cli-settings.ts';
import { SETTING_ALIASES, SECRET_SETTINGS, settingsSchema } from '../../src/config/settings/settings.ts';
import { describeUnknown, unknownSettings } from '../../src/config/unknown-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-unknown-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linesFor = (...names: string[]): readonly string[] =>
  unknownSettings(Object.fromEntries(names.map((name) => [name, 'x']))).map(describeUnknown);

it.each([
  ['ORION_PORTT', 'ORION_PORT'],
  ['ORION_WORKSPCAE', 'ORION_WORKSPACE'],
  ['ORION_PROJET', 'ORION_PROJECT'],
  ['ORION_API_KEY_FIEL', 'ORION_API_KEY_FILE'],
  ['orion_port', 'ORION_PORT'],
  ['TWO_STAGE_ENABLE', 'TWO_STAGE_ENABLED'],
  ['MAX_PHASE_CYCLE', 'MAX_PHASE_CYCLES'],
  ['TEMPORAL_ADRESS', 'TEMPORAL_ADDRESS'],
])('%s names %s', (name, meant) => {
  expect(linesFor(name)).toEqual([`${name} is not a setting of Orion; did you mean ${meant}?`]);
});

it('a setting that only docker-compose.yml reads is not reported', () => {
  const compose = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const read = [...compose.matchAll(/\$\{(ORION_\w+)/g)].map(([, name = '']) => name);
  expect(read).toContain('ORION_PORTS');
  expect(linesFor(...read)).toEqual([]);
});

it('an ORION_ name far from every setting is reported, a name of another program is not', () => {
  expect(linesFor('ORION_TELESCOPE', 'TELESCOPE', 'PATH', 'HOME', 'NO_PROXY', 'OPENAI_ORG_ID')).toEqual([
    'ORION_TELESCOPE is not a setting of Orion',
  ]);
});

it('everything that is read is known: settings, former names, files of secrets, the names of Temporal', () => {
  const temporal = ['CLI', 'PROFILE', 'CONFIG_FILE', 'CODEC_AUTH', 'TLS_SERVER_NAME', 'GRPC_META_X'];
  const read = [
    ...Object.keys({ ...settingsSchema.shape, ...cliSettingsSchema.shape, ...SETTING_ALIASES }),
    ...[...SECRET_SETTINGS, 'ORION_API_KEY'].map((name) => `${name}_FILE`),
    ...temporal.map((name) => `TEMPORAL_${name}`),
  ];
  expect(linesFor(...read)).toEqual([]);
});

it('a name that the file of MCP servers refers to is known; a file that does not exist hides nothing', () => {
  const path = join(folder, 'mcp.json');
  writeFileSync(path, '{ "mcpServers": { "a": { "command": "x", "env": { "K": "${ORION_PORTT}" } } } }');
  const env = { ORION_PORTT: '1', ORION_MCP_CONFIG: path };
  expect(unknownSettings(env)).toEqual([]);
  expect(unknownSettings({ ...env, ORION_MCP_CONFIG: join(folder, 'none.json') })).toHaveLength(1);
});
