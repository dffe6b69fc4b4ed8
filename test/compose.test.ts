/** What a person can get wrong in docker-compose.yml without any tool noticing; `.ci/run` checks its schema. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { secrets, settingsSchema } from '../src/config/settings.ts';

const text = readFileSync(fileURLToPath(new URL('../docker-compose.yml', import.meta.url)), 'utf8');
const server = readFileSync(
  fileURLToPath(new URL('../src/stack/temporal-server.ts', import.meta.url)),
  'utf8',
);

describe('docker-compose.yml', () => {
  it('sets no variable that Orion does not know', () => {
    const known = [...Object.keys(settingsSchema.shape), ...secrets.map((name) => `${name}_FILE`)];
    const set = [...text.matchAll(/^ +((?:ORION|MODEL|WORKER|OPENAI)_\w+):/gm)].map(([, name]) => name);
    expect(set.length).toBeGreaterThan(8);
    expect(known).toEqual(expect.arrayContaining(set));
  });

  it('publishes no port beyond loopback: nothing in front of the API asks for a key', () => {
    const published = [...text.matchAll(/^ +- (\S*\$\{\w+_PORT\S+)$/gm)].map(([, port]) => port);
    expect(published).toHaveLength(3);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('gives Temporal the dynamic configuration that npm start gives it', () => {
    const inline = [...text.matchAll(/^ +([\w.]+): \[\{ value: (\w+) \}\]$/gm)].map(
      ([, name, value]) => `${name}=${value}`,
    );
    const started = [...server.matchAll(/^ +'([\w.]+=[\w"]+)',$/gm)].map(([, value]) =>
      value?.replaceAll('"', ''),
    );
    expect(inline.length).toBeGreaterThan(5);
    expect(inline).toEqual(started);
  });
});
