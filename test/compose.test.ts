/** What a person can get wrong in docker-compose.yml without `npm run verify`, which checks its schema, noticing. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { secrets, settingsSchema } from '../src/config/settings.ts';

const text = readFileSync(fileURLToPath(new URL('../docker-compose.yml', import.meta.url)), 'utf8');
const server = readFileSync(
  fileURLToPath(new URL('../src/stack/servers/temporal-server.ts', import.meta.url)),
  'utf8',
);

interface Service {
  readonly network_mode?: string;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly configs: object;
}

const referencesOf = (service: Service): string[] => [
  ...Object.keys(service.depends_on ?? {}).map((name) => `services.${name}`),
  ...[service.network_mode?.replace(/^service:/, 'services.') ?? []].flat(),
  ...(service.volumes ?? []).map((mount) => `volumes.${mount.split(':')[0]}`),
  ...(service.configs ?? []).map(({ source }) => `configs.${source}`),
];

/** What services refer to and the file does not declare: outside of the schema, yet Compose refuses it. */
const danglingIn = (source: string): string[] => {
  const file = parse(source, { merge: true }) as ComposeFile;
  const declared = (['services', 'volumes', 'configs'] as const).flatMap((kind) =>
    Object.keys(file[kind]).map((name) => `${kind}.${name}`),
  );
  return Object.values(file.services)
    .flatMap(referencesOf)
    .filter((reference) => !declared.includes(reference));
};

/** Dollar signs left once every `${NAME…}`, from the innermost on, and every `$$` is taken out. */
const brokenSubstitutions = (source: string): string[] => {
  let rest = source.replaceAll('$$', '');
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(/\$\{[A-Z][A-Z0-9_]*(?::?[-+?][^${}]*)?\}/g, '');
  }
  return [...rest.matchAll(/^.*\$.*$/gm)].map(([line]) => line.trim());
};

describe('docker-compose.yml', () => {
  it('refers to services, volumes and configurations that it declares', () => {
    expect(danglingIn(text)).toEqual([]);
    for (const [name, wrong] of [
      ['services', text.replace('service:worker', 'service:wrker')],
      ['services', text.replace('temporal: { condition', 'temprl: { condition')],
      ['volumes', text.replace('- postgres:/var', '- postgrs:/var')],
      ['configs', text.replace('source: dynamic-config', 'source: dynamic')],
    ] as const)
      expect(danglingIn(wrong)).toEqual([expect.stringContaining(`${name}.`)]);
  });

  it('runs files that are there, as the image that it builds does', () => {
    const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
    const named = [...`${text}\n${dockerfile}`.matchAll(/\b(?:src|worker)\/[\w./-]+\.ts\b/g)].map(
      ([file]) => file,
    );
    expect(new Set(named).size).toBeGreaterThanOrEqual(5);
    for (const file of named)
      expect([file, existsSync(new URL(`../${file}`, import.meta.url))]).toEqual([file, true]);
  });

  it('has only substitutions that end', () => {
    expect(brokenSubstitutions(text)).toEqual([]);
    expect(brokenSubstitutions(text.replace('${ORION_MODEL:-}', '${ORION_MODEL:-'))).toHaveLength(1);
    expect(brokenSubstitutions(text.replace('$$(cat', '$(cat'))).toHaveLength(1);
  });

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
