/** What a person can get wrong in docker-compose.yml without any tool noticing; `.ci/run` checks its schema. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { secrets, settingsSchema } from '../src/config/settings.ts';

const text = readFileSync(fileURLToPath(new URL('../docker-compose.yml', import.meta.url)), 'utf8');
const server = readFileSync(
  fileURLToPath(new URL('../src/stack/servers/temporal-server.ts', import.meta.url)),
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

  it('has no password of its own, and no key in a service that does not use it', () => {
    expect(text).not.toMatch(/PASSWORD:-\w|:-orion\}/);
    const [, gateway = ''] = /\n {2}gateway:\n(.*?)\n {2}\w[\w-]*:\n/s.exec(text) ?? [];
    const [, shared = ''] = /\nx-orion-environment:(.*?)\nservices:/s.exec(text) ?? [];
    expect(gateway).toContain('src/gateway/main.ts');
    for (const part of [gateway, shared]) expect(part).not.toMatch(/^ +OPENAI_API_KEY:/m);
    expect(text.match(/^ +OPENAI_API_KEY:/gm)).toHaveLength(1);
  });

  it('gives no service more of the machine than it needs, and turns project folders on', () => {
    const services = text.slice(text.indexOf('\nservices:'), text.indexOf('\nvolumes:'));
    const bodies = services.split(/\n {2}(?=\w[\w-]*:\n)/).slice(1);
    expect(bodies.length).toBeGreaterThanOrEqual(8);
    for (const body of bodies) {
      const hardened = body.includes('<<: *orion\n') || /cap_drop: \[ALL\]\n[^]*no-new-privileges/.test(body);
      expect([body.split('\n')[0], hardened]).toEqual([body.split('\n')[0], true]);
    }
    const [, ours = ''] = /\nx-orion: &orion\n(.*?)\n\n/s.exec(text) ?? [];
    for (const rule of ['cap_drop: [ALL]', 'no-new-privileges:true', 'read_only: true'])
      expect(ours).toContain(rule);
    expect(text).toContain('ORION_PROJECT_FOLDERS: ${ORION_PROJECT_FOLDERS:-on}');
  });
});
