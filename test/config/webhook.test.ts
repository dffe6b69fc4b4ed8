import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/base/errors/config-error.ts';
import { loadConfig, loadGatewayConfig } from '../../src/config/load-config.ts';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const URL_SET = { ORION_WEBHOOK_URL: 'https://hooks.example/orion' };

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('the setting of a webhook', () => {
  it('needs an address and a secret, or neither', () => {
    expect(loadConfig({})).toMatchObject({ notifies: false, webhook: undefined });
    expect(loadConfig({ ...URL_SET, ORION_WEBHOOK_SECRET: SECRET })).toMatchObject({
      notifies: true,
      webhook: { url: new URL(URL_SET.ORION_WEBHOOK_URL), secret: SECRET, allowsPrivateAddresses: false },
    });
    expect(problemsOf(URL_SET)).toEqual([expect.stringMatching(/^ORION_WEBHOOK_SECRET: expected/)]);
    expect(problemsOf({ ORION_WEBHOOK_SECRET: SECRET })).toEqual([
      expect.stringMatching(/^ORION_WEBHOOK_URL: expected/),
    ]);
  });

  it.each([
    ['http://hooks.example/', 'https:// beyond this machine'],
    ['ftp://hooks.example/', 'http'],
    ['https://me:secret@hooks.example/', 'without user name and password'],
  ])('refuses %s', (url, why) => {
    const [problem = ''] = problemsOf({ ORION_WEBHOOK_URL: url, ORION_WEBHOOK_SECRET: SECRET });
    expect(problem).toMatch(/^ORION_WEBHOOK_URL: /);
    expect(problem).toContain(why);
    expect(problem).not.toContain('secret@');
  });

  it.each(['http://127.0.0.1:9000/x', 'http://localhost/x', 'http://[::1]:9000/x'])(
    'takes http of this machine: %s',
    (url) => {
      expect(problemsOf({ ORION_WEBHOOK_URL: url, ORION_WEBHOOK_SECRET: SECRET })).toEqual([]);
    },
  );

  it('does not show a secret that it refuses', () => {
    const problems = problemsOf({ ...URL_SET, ORION_WEBHOOK_SECRET: 'too-short-to-sign' });
    expect(problems.join('\n')).toContain('ORION_WEBHOOK_SECRET: expected whsec_');
    expect(problems.join('\n')).not.toContain('too-short-to-sign');
  });

  it('gives gateways only the address', () => {
    const env = { ...URL_SET, TEMPORAL_ADDRESS: 'h:1', DATABASE_URL: 'postgres://u:p@h/d' };
    const config = loadGatewayConfig({ ...env, ORION_INTERNAL_TOKEN: 'x'.repeat(32) });
    expect(config).toMatchObject({ notifies: true, webhook: undefined });
  });
});
