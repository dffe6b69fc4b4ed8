import { isLoopbackUrl } from '../../base/hosts/loopback.ts';
import { MINUTE_MS } from '../../contracts/values/units.ts';
import { parseOrigin } from '../../base/hosts/host-rules.ts';
import {
  booleanField,
  httpUrlField,
  integerField,
  listField,
  choiceField,
  redisUrlField,
  textField,
  urlField,
} from './fields.ts';

/** Temporal task queue of a deployment that does not set `ORION_TASK_QUEUE`. */
export const DEFAULT_TASK_QUEUE = 'orion';

const port = integerField(1, 65_535);
const MAX_WORKERS = 32;
const webhookUrl = httpUrlField
  .refine((value) => {
    const url = new URL(value);
    return url.protocol === 'https:' || isLoopbackUrl(url);
  }, 'expected https:// beyond this machine')
  .meta({ expected: 'an https:// URL, or http:// to this machine, without user name and password' });

/** Settings of processes: how many there are, and the servers and addresses that they use. */
export const processSettings = {
  ORION_WORKERS: integerField(1, MAX_WORKERS)
    .default(2)
    .describe('Number of worker processes that `npm start` runs.'),
  WORKER_SHUTDOWN_GRACE_MS: integerField(0, 10 * MINUTE_MS)
    .default(0)
    .describe(
      'Milliseconds for which a stopping worker lets its running model calls finish. 0: it hands them over to another worker at once.',
    ),
  LIVE_LANE: booleanField
    .default(true)
    .describe(
      'Streams events from workers to gateways as they happen. Off: events reach the gateway only through Temporal signals and queries, which is slower.',
    ),
  ORION_INTERNAL_TOKEN: textField
    .min(32, 'expected at least 32 characters')
    .optional()
    .describe(
      'Secret that gateways and workers share, at least 32 characters. The live lane proves that it knows the secret but never sends it. Unset: `npm start` generates one.',
    ),
  ORION_LIVE_ADDRESS: httpUrlField
    .optional()
    .describe(
      'Base URL at which workers reach this gateway. It must be `http://`, because the live lane has no TLS; with `https://` events arrive only through signals, which is slower. Unset: the address on which the gateway listens, or the name of its machine if it listens on every address.',
    ),
  ORION_LIVE_ALLOWED_ADDRESSES: listField(
    'addresses such as http://gateway:5000 or http://*.gateway:5000',
    (entry) => parseOrigin(entry) !== undefined,
  )
    .optional()
    .describe(
      'Addresses of gateways to which a worker may send events even if they do not sign their address, as in earlier versions, separated by commas. `*.` matches every name below. Gateways on this machine and gateways with the same `ORION_INTERNAL_TOKEN` are always allowed. For any other address, events travel only through signals, which is slower.',
    ),
  REDIS_URL: redisUrlField
    .optional()
    .describe(
      'Redis 6.2 or newer, or Valkey, as the live lane. Every gateway then serves every turn with the same delay. Set the same value for gateways and workers. Unset: workers send events to the gateway that started the turn, and other gateways read them from there.',
    ),
  // No other TEMPORAL_* variables are settings. TEMPORAL_CLI is read by the set-up and by `orion temporal`, and the
  // rest by @temporalio/envconfig (src/config/temporal-connection.ts).
  TEMPORAL_ADDRESS: textField
    .optional()
    .describe('`host:port` of the Temporal server. Unset: `npm start` runs one.'),
  TEMPORAL_NAMESPACE: textField.optional().describe('Temporal namespace. Unset: `default`.'),
  TEMPORAL_API_KEY: textField.optional().describe('API key for Temporal Cloud.'),
  TEMPORAL_TLS: booleanField
    .optional()
    .describe(
      'Uses TLS for connections to Temporal. The other variables of `@temporalio/envconfig` work, too.',
    ),
  // The name becomes a part of a query to Temporal, which has no way to write each of these characters.
  ORION_TASK_QUEUE: textField
    .regex(/^[^'"\\]*$/, 'expected a name without quotes and backslashes')
    .meta({ expected: 'a name without quotes and backslashes' })
    .default(DEFAULT_TASK_QUEUE)
    .describe('Temporal task queue of workflows and activities.'),
  DATABASE_URL: urlField('postgres', 'postgresql')
    .optional()
    .describe('URL of the Postgres database. Unset: `npm start` runs a server.'),
  ORION_TEMPORAL_PORT: port.default(7233).describe('Port of the Temporal server that `npm start` runs.'),
  ORION_TEMPORAL_UI_PORT: port.default(8233).describe('Port of the Temporal Web UI that `npm start` runs.'),
  ORION_POSTGRES_PORT: port.default(5433).describe('Port of the Postgres that `npm start` runs.'),
  ORION_TEMPORAL_UI_URL: httpUrlField
    .optional()
    .describe(
      'Address of the Temporal Web UI for links in responses. Unset: the Web UI that `npm start` runs, if there is one.',
    ),
  ORION_WORKFLOW_BUNDLE: textField
    .optional()
    .describe('Path of a workflow bundle that was built in advance. Unset: each worker builds its own.'),
  ORION_WORKER_IDENTITY: textField.optional().describe('Name of a worker process in Temporal.'),
  ORION_SUPERVISED: booleanField
    .default(false)
    .describe(
      'Tells a gateway that a supervisor, such as `npm start`, notices when workers die. Off: the gateway looks for lost workers itself.',
    ),
};

/** Settings of what processes report about themselves: log level, metrics. */
export const logSettings = {
  LOG_LEVEL: choiceField(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum severity of log lines.'),
  ORION_METRICS_PORT: integerField(1, 65_535 - MAX_WORKERS)
    .optional()
    .describe(
      'Port on which the first worker serves Prometheus metrics. Further workers use the ports after it. Unset: no metrics.',
    ),
  ORION_METRICS_HOST: textField
    .default('127.0.0.1')
    .describe('Address on which workers serve these metrics.'),
};

/** Settings of the webhook that is notified when a turn waits for a person and when it ends. */
export const notificationSettings = {
  ORION_WEBHOOK_URL: webhookUrl
    .optional()
    .describe(
      'URL of a webhook that Orion calls when a turn starts to wait for a person, when that request is resolved, and when a turn ends.',
    ),
  ORION_WEBHOOK_SECRET: textField
    .regex(/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/, 'expected whsec_ and a key of 24 bytes or more in base64')
    .optional()
    .describe('Key that signs these messages, as specified by Standard Webhooks.'),
  ORION_WEBHOOK_PRIVATE: booleanField
    .default(false)
    .describe('Allows the webhook to be on this machine or in a private network.'),
};
