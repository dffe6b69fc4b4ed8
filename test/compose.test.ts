/** Finds mistakes in docker-compose.yml that `npm run verify`, which checks its schema, does not notice. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type SettingReader, variablesOf } from '../src/config/settings/setting-readers.ts';
import { SECRET_SETTINGS, settingsSchema } from '../src/config/settings/settings.ts';
import { temporalServerSpec } from '../src/stack/servers/temporal-server.ts';

const fileAt = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const text = fileAt('docker-compose.yml');
const dockerfile = fileAt('Dockerfile');

interface Service {
  readonly image: string;
  readonly build?: unknown;
  readonly pull_policy?: string;
  readonly user?: string;
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string | number | null>>;
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly network_mode?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly ports?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly configs: object;
}

const compose = (source = text) => parse(source, { merge: true }) as ComposeFile;
const { services } = compose();
const serviceNamed = (name: string): Service => {
  const service = services[name];
  if (service === undefined) throw new Error(`no service ${name}`);
  return service;
};
/** Returns the names of the services for which a rule holds. */
const servicesWith = (rule: (service: Service) => boolean): readonly string[] =>
  Object.keys(services)
    .filter((name) => rule(serviceNamed(name)))
    .toSorted();
const all = servicesWith(() => true);
const ours = servicesWith(({ image }) => image === 'orion');
const commandOf = (name: string): string => [serviceNamed(name).command ?? ''].flat().join(' ');

const referencesOf = (service: Service): string[] => [
  ...Object.keys(service.depends_on ?? {}).map((name) => `services.${name}`),
  ...[service.network_mode?.replace(/^service:/, 'services.') ?? []].flat(),
  ...(service.volumes ?? []).map((mount) => `volumes.${mount.split(':')[0]}`),
  ...(service.configs ?? []).map(({ source }) => `configs.${source}`),
];

/** Returns what services refer to and the file does not declare: the schema allows it, but Compose refuses it. */
const undeclaredReferencesIn = (source: string): string[] => {
  const file = compose(source);
  const declared = (['services', 'volumes', 'configs'] as const).flatMap((kind) =>
    Object.keys(file[kind]).map((name) => `${kind}.${name}`),
  );
  return Object.values(file.services)
    .flatMap(referencesOf)
    .filter((reference) => !declared.includes(reference));
};

/**
 * Returns the texts in which a dollar sign is left once every `${NAME…}`, from the innermost on, and every `$$` is
 * removed.
 */
const brokenSubstitutions = (source: string): string[] => {
  let rest = source.replaceAll('$$', '');
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(/\$\{[A-Z][A-Z0-9_]*(?::?[-+?][^${}]*)?\}/g, '');
  }
  return [...rest.matchAll(/^.*\$.*$/gm)].map(([line]) => line.trim());
};

/** Returns the services that have to run, or to have ended, before this service starts. */
const dependenciesOf = (name: string): readonly string[] => {
  const direct = Object.keys(serviceNamed(name).depends_on ?? {});
  return [...new Set([...direct, ...direct.flatMap(dependenciesOf)])];
};

describe('docker-compose.yml', () => {
  it('refers to services, volumes and configurations that it declares', () => {
    expect(undeclaredReferencesIn(text)).toEqual([]);
    for (const [name, wrong] of [
      ['services', text.replace('temporal: { condition', 'temprl: { condition')],
      ['volumes', text.replace('- postgres:/var', '- postgrs:/var')],
      ['configs', text.replace('source: dynamic-config', 'source: dynamic')],
    ] as const) {
      expect(undeclaredReferencesIn(wrong)).toEqual([expect.stringContaining(`${name}.`)]);
    }
  });

  it('runs files that exist, as the image that it builds does', () => {
    const files = [...`${text}\n${dockerfile}`.matchAll(/\b(?:src|worker)\/[\w./-]+\.(?:ts|mjs)\b/g)];
    expect(new Set(files.map(([file]) => file)).size).toBeGreaterThanOrEqual(7);
    for (const [file] of files) {
      expect([file, existsSync(new URL(`../${file}`, import.meta.url))]).toEqual([file, true]);
    }
  });

  it('has only complete substitutions', () => {
    expect(brokenSubstitutions(text)).toEqual([]);
    expect(brokenSubstitutions(text.replace('${ORION_WORKERS:-2}', '${ORION_WORKERS:-2'))).toHaveLength(1);
    expect(brokenSubstitutions(text.replace('$$(cat', '$(cat'))).toHaveLength(1);
  });

  it('builds its own image once, and waits for it everywhere', () => {
    expect(servicesWith(({ build }) => build !== undefined)).toEqual(['secrets']);
    expect(ours).toEqual(['databases', 'gateway', 'secrets', 'temporal-ui-guard', 'worker']);
    for (const name of ours.filter((one) => one !== 'secrets')) {
      expect(serviceNamed(name).pull_policy).toBe('never');
      expect([name, dependenciesOf(name)]).toEqual([name, expect.arrayContaining(['secrets'])]);
    }
  });

  it('names foreign images, and the base of its own, by digest', () => {
    const images = all.map((name) => serviceNamed(name).image).filter((image) => image !== 'orion');
    const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
    expect(dockerfile.match(/^FROM .*$/gm)).toEqual(['FROM ${NODE_IMAGE} AS page', 'FROM ${NODE_IMAGE}']);
    for (const image of [...images, base]) expect(image).toMatch(/^[\w/-]+:\d[\w.-]*@sha256:[0-9a-f]{64}$/);
    expect(new Set(images).size).toBe(4);
  });

  it('publishes the gateway, Temporal and the guard of its Web UI, only on loopback', () => {
    expect(servicesWith(({ ports }) => ports !== undefined)).toEqual([
      'gateway',
      'temporal',
      'temporal-ui-guard',
    ]);
    for (const port of all.flatMap((name) => serviceNamed(name).ports ?? [])) {
      expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    expect(commandOf('temporal-ui-guard')).toContain(' temporal-ui:8080 ');
  });

  it('takes a range of ports for several gateways, each of which has a name of its own', () => {
    expect(serviceNamed('gateway').ports).toEqual(['127.0.0.1:${ORION_PORTS:-${ORION_PORT:-5000}}:5000']);
    for (const name of ['gateway', 'worker']) {
      expect(serviceNamed(name).environment).not.toHaveProperty('ORION_LIVE_ADDRESS');
    }
    expect(serviceNamed('gateway').environment?.['ORION_HOST']).toBe('0.0.0.0');
    expect(text).not.toMatch(/container_name|hostname:|network_mode/);
  });

  it('gives Temporal the dynamic configuration that npm start gives it', () => {
    const inline = [...text.matchAll(/^ +([\w.]+): \[\{ value: (\w+) \}\]$/gm)].map(
      ([, name, value]) => `${name}=${value}`,
    );
    const options = { root: '/', dataDir: '/', port: 1, ui: undefined, namespace: 'n', env: {} };
    const started = temporalServerSpec(options).args.flatMap(
      (argument) => /^--dynamic-config-value=(.*)$/.exec(argument)?.[1]?.replaceAll('"', '') ?? [],
    );
    expect(inline.length).toBeGreaterThan(5);
    // The development server would open a port of the machine for its HTTP API. Compose publishes none for it.
    expect([...inline, 'frontend.httpAllowedHosts=[none.invalid]']).toEqual(started);
  });

  it('limits what each service may use of the machine', () => {
    for (const name of all) {
      const { cap_drop, security_opt, read_only, user } = serviceNamed(name);
      expect([name, cap_drop, security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']]);
      expect([name, read_only]).toEqual([name, /^temporal(-ui)?$/.test(name) ? undefined : true]);
      expect([name, user]).toEqual([name, name === 'secrets' ? 'root' : undefined]);
    }
  });
});

describe('secrets in docker-compose.yml', () => {
  it('have no default', () => {
    expect(text).not.toMatch(/PASSWORD:-\w|:-orion\}/);
    expect(serviceNamed('secrets').environment).toEqual({ POSTGRES_PASSWORD: '${POSTGRES_PASSWORD:-}' });
  });

  it.each([
    ['secrets', ['databases', 'gateway', 'secrets', 'worker']],
    ['temporal-secret', ['databases', 'secrets', 'temporal', 'temporal-schema']],
    ['postgres-secret', ['databases', 'postgres', 'secrets']],
    ['owner', ['secrets']],
    ['data', ['gateway', 'worker']],
    ['postgres', ['postgres']],
  ])(
    '%s is mounted only where it is used; only the service that makes a secret writes it',
    (volume, users) => {
      const mounts = (service: Service) =>
        (service.volumes ?? []).filter((mount) => mount.startsWith(`${volume}:`));
      expect(servicesWith((service) => mounts(service).length > 0)).toEqual(users);
      if (volume === 'data' || volume === 'postgres') return;
      const writers = servicesWith((service) => mounts(service).some((mount) => !mount.endsWith(':ro')));
      expect(writers).toEqual(['secrets']);
    },
  );

  it('of models and MCP servers go only to the worker', () => {
    expect(
      servicesWith(({ environment }) => environment !== undefined && 'OPENAI_API_KEY' in environment),
    ).toEqual(['worker']);
    expect(servicesWith(({ env_file }) => env_file !== undefined)).toEqual(['worker']);
    expect(serviceNamed('worker').env_file).toEqual([{ path: 'worker.env', required: false }]);
  });

  it('of the superuser are used by no service that serves requests', () => {
    expect(commandOf('databases')).toContain('postgres://orion_superuser@postgres:5432/postgres');
    expect(serviceNamed('postgres').environment?.['POSTGRES_USER']).toBe('orion_superuser');
    expect(serviceNamed('temporal').environment?.['POSTGRES_USER']).toBe('temporal');
    expect(commandOf('temporal-schema')).toContain(' -u temporal ');
    expect(commandOf('secrets')).toContain('postgres://orion:%s@postgres:5432/orion');
  });
});

describe('settings in docker-compose.yml', () => {
  /**
   * The settings that the compose file fixes: how its containers find each other, and where things are stored in them.
   */
  const FIXED = [
    'DATABASE_URL',
    'ORION_API_KEYS_FILE',
    'ORION_DATA_DIR',
    'ORION_HOST',
    'ORION_INTERNAL_TOKEN',
    'ORION_LIVE_ADDRESS',
    'ORION_PORT',
    'ORION_POSTGRES_PORT',
    'ORION_SUPERVISED',
    'ORION_TEMPORAL_PORT',
    'ORION_TEMPORAL_UI_PORT',
    'ORION_TEMPORAL_UI_URL',
    'ORION_WORKER_IDENTITY',
    'ORION_WORKERS',
    'ORION_WORKFLOW_BUNDLE',
    'ORION_WORKSPACE',
    'TEMPORAL_ADDRESS',
    'TEMPORAL_API_KEY',
    'TEMPORAL_NAMESPACE',
    'TEMPORAL_TLS',
  ];
  const readBy = (reader: SettingReader): readonly string[] =>
    variablesOf(reader).filter((name) => name in settingsSchema.shape && !FIXED.includes(name));
  const isPassedOn = (name: string, value: unknown): boolean =>
    value === null || String(value).startsWith(`\${${name}:-`);

  it.each(['gateway', 'worker'] as const)('reach the %s, each that it reads and no other', (reader) => {
    const { environment = {} } = serviceNamed(reader);
    const passedOn = Object.keys(environment).filter((name) => isPassedOn(name, environment[name]));
    const unread = reader === 'gateway' ? ['WORKER_SHUTDOWN_GRACE_MS'] : [];
    expect(passedOn.toSorted()).toEqual(
      readBy(reader)
        .filter((name) => !unread.includes(name))
        .toSorted(),
    );
  });

  it('are those that Orion knows', () => {
    const known = [...Object.keys(settingsSchema.shape), ...SECRET_SETTINGS.map((name) => `${name}_FILE`)];
    for (const name of ['gateway', 'worker']) {
      expect(known).toEqual(expect.arrayContaining(Object.keys(serviceNamed(name).environment ?? {})));
    }
    expect(FIXED.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('turn project folders on by default', () => {
    for (const name of ['gateway', 'worker']) {
      expect(serviceNamed(name).environment?.['ORION_PROJECT_FOLDERS']).toBe('${ORION_PROJECT_FOLDERS:-on}');
    }
  });
});

describe('docker-compose.redis.yml', () => {
  type Overlaid = Service & { readonly networks?: readonly string[] };
  const overlay = parse(fileAt('docker-compose.redis.yml')) as {
    readonly services: Readonly<Record<string, Overlaid>>;
    readonly networks: object;
  };
  const { redis } = overlay.services;

  it('lets only gateways and workers reach Redis, which has no password', () => {
    const reaching = Object.entries(overlay.services).filter(([, { networks }]) =>
      networks?.includes('lane'),
    );
    expect(reaching.map(([name]) => name).toSorted()).toEqual(['gateway', 'redis', 'worker']);
    expect([redis?.networks, redis?.ports]).toEqual([['lane'], undefined]);
    expect(overlay.networks).toEqual({ lane: { internal: true } });
    for (const name of ['gateway', 'worker']) {
      expect(overlay.services[name]?.environment).toEqual({ REDIS_URL: 'redis://redis:6379' });
      // Without `default` the service would no longer reach anything else.
      expect(overlay.services[name]?.networks).toEqual(['default', 'lane']);
    }
  });

  it('limits what Redis may use of the machine, and names its image', () => {
    expect(redis).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
      image: expect.stringMatching(/^\$\{REDIS_IMAGE:\?/),
    });
    expect(brokenSubstitutions(fileAt('docker-compose.redis.yml'))).toEqual([]);
  });
});
