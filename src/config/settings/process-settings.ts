import { isLoopback } from '../../base/hosts/loopback.ts';
import { parseOrigin } from '../../base/hosts/host-rules.ts';
import {
  booleanField,
  httpUrlField,
  integerField,
  listField,
  MINUTE,
  choiceField,
  redisUrlField,
  textField,
  urlField,
} from './fields.ts';

const port = integerField(1, 65_535);
const MAX_WORKERS = 32;
const webhookUrl = httpUrlField
  .refine((value) => {
    const { protocol, hostname } = new URL(value);
    return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
  }, 'expected https:// beyond this machine')
  .meta({ expected: 'an https:// URL, or http:// to this machine, without user name and password' });

/** The servers that processes use, and how many processes there are. */
export const processSettings = {
  ORION_WORKERS: integerField(1, MAX_WORKERS).default(2).describe('Worker processes of `npm start`.'),
  WORKER_SHUTDOWN_GRACE_MS: integerField(0, 10 * MINUTE)
    .default(0)
    .describe('Time that a worker gives its running model calls when it stops; 0 hands them over at once.'),
  LIVE_LANE: booleanField
    .default(true)
    .describe('Off: events reach the gateway only by signals and queries, later.'),
  ORION_INTERNAL_TOKEN: textField
    .min(32, 'expected at least 32 characters')
    .optional()
    .describe(
      'Secret shared by gateways and workers, at least 32 characters; the live lane proves that it knows it and never sends it. Unset: `npm start` draws one.',
    ),
  ORION_LIVE_ADDRESS: httpUrlField
    .optional()
    .describe(
      'Base URL under which workers reach this gateway, `http://`: the live lane has no TLS, and by any other text goes only by signals, later. Unset: where it listens, and where that is every address the name of its machine.',
    ),
  ORION_LIVE_ALLOWED_ADDRESSES: listField(
    'addresses such as http://gateway:5000 or http://*.gateway:5000',
    (entry) => parseOrigin(entry) !== undefined,
  )
    .optional()
    .describe(
      'Gateways that a worker may send events to although they sign no address, as those of earlier releases, separated by commas; `*.` stands for every name below. Gateways of this machine and those with the same `ORION_INTERNAL_TOKEN` are always allowed. To any other address text goes only by signals, later.',
    ),
  REDIS_URL: redisUrlField
    .optional()
    .describe(
      'Redis 6.2 or newer, or Valkey, as live lane: with it any gateway serves any turn at the same lag. The same for gateways and workers. Unset: workers write to the gateway that started the turn, and others read it from there.',
    ),
  // Only @temporalio/envconfig reads the other TEMPORAL_* variables.
  TEMPORAL_ADDRESS: textField
    .optional()
    .describe('`host:port` of a Temporal server. Unset: `npm start` runs one.'),
  TEMPORAL_NAMESPACE: textField.optional().describe('Namespace; unset: `default`.'),
  TEMPORAL_API_KEY: textField.optional().describe('Key of Temporal Cloud.'),
  TEMPORAL_TLS: booleanField
    .optional()
    .describe('TLS to Temporal. The other names of `@temporalio/envconfig` hold, too.'),
  ORION_TASK_QUEUE: textField.default('orion').describe('Task queue of workflows and activities.'),
  DATABASE_URL: urlField('postgres', 'postgresql')
    .optional()
    .describe('Postgres. Unset: `npm start` runs one.'),
  ORION_TEMPORAL_PORT: port.default(7233).describe('Port of the Temporal server that `npm start` runs.'),
  ORION_TEMPORAL_UI_PORT: port.default(8233).describe('Port of its Web UI.'),
  ORION_POSTGRES_PORT: port.default(5433).describe('Port of the Postgres that `npm start` runs.'),
  ORION_TEMPORAL_UI_URL: httpUrlField
    .optional()
    .describe(
      'Address of the Temporal Web UI for links in answers. Unset: that of `npm start`, if it runs one.',
    ),
  ORION_WORKFLOW_BUNDLE: textField
    .optional()
    .describe('Workflow bundle that was built beforehand. Unset: a worker builds its own.'),
  ORION_WORKER_IDENTITY: textField.optional().describe('Name of a worker process in Temporal.'),
  ORION_SUPERVISED: booleanField
    .default(false)
    .describe(
      'On: who started this gateway sees workers end, as `npm start` does. Off: it looks for lost ones.',
    ),
};

/** Settings of what processes report about themselves: log level, metrics. */
export const logSettings = {
  LOG_LEVEL: choiceField(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged.'),
  ORION_METRICS_PORT: integerField(1, 65_535 - MAX_WORKERS)
    .optional()
    .describe('Metrics of the first worker for Prometheus; the others have the ports after it. Unset: off.'),
  ORION_METRICS_HOST: textField.default('127.0.0.1').describe('Address of these metrics.'),
};

/** The webhook that is told what turns wait for, and how they end. */
export const notificationSettings = {
  ORION_WEBHOOK_URL: webhookUrl
    .optional()
    .describe(
      'Webhook that is told when a turn waits for somebody, when that is resolved, and when a turn ends: https, or http to this machine.',
    ),
  ORION_WEBHOOK_SECRET: textField
    .regex(/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/, 'expected whsec_ and a key of 24 bytes or more in base64')
    .optional()
    .describe('Key that signs these messages, as Standard Webhooks has it.'),
  ORION_WEBHOOK_PRIVATE: booleanField
    .default(false)
    .describe('On: the webhook may be on this machine or in a private network.'),
};
