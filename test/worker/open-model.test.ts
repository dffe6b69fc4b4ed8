/**
 * Checks that the demo model is where its worker is: several workers on one machine, and one that was restarted, each
 * have a demo model of their own.
 */
import { expect, it } from '@jest/globals';
import { loadServiceConfig } from '../../src/config/load-config.ts';
import { openModel } from '../../worker/open-model.ts';

const modelOf = (env: Readonly<Record<string, string>> = {}) =>
  loadServiceConfig({
    DATABASE_URL: 'postgres://127.0.0.1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    ORION_INTERNAL_TOKEN: 't'.repeat(32),
    ...env,
  }).model;

it('without a model each worker has a demo model of its own, as long as it runs', async () => {
  const [one, other] = await Promise.all([openModel(modelOf()), openModel(modelOf())]);
  const names = async (baseUrl: string) =>
    ((await (await fetch(`${baseUrl}/models`)).json()) as { data: { id: string }[] }).data.map(
      ({ id }) => id,
    );
  expect(await names(one.options.baseUrl)).toEqual(['orion-demo']);
  one.close();
  await expect(fetch(`${one.options.baseUrl}/models`)).rejects.toThrow('fetch failed');
  expect(await names(other.options.baseUrl)).toEqual(['orion-demo']);
  other.close();
});

it('a model that is set is asked where the settings say', async () => {
  const { options } = await openModel(modelOf({ OPENAI_BASE_URL: 'http://10.0.0.9:1/v1' }));
  expect(options).toMatchObject({ kind: 'provider', baseUrl: 'http://10.0.0.9:1/v1' });
});
