import { parseHost, parseOrigin } from '../../base/hosts/host-rules.ts';
import { integerField, listField, textField } from './fields.ts';

/** Settings of the gateway: where it listens, who may use it, and how much of it. */
export const gatewaySettings = {
  ORION_HOST: textField
    .default('127.0.0.1')
    .describe('Address the gateway listens on; beyond loopback only with `ORION_API_KEYS_FILE`.'),
  ORION_PORT: integerField(0, 65_535)
    .default(5000)
    .describe('Port of the gateway; 0 lets the operating system choose.'),
  ORION_API_KEYS_FILE: textField
    .optional()
    .describe(
      'JSON file `[{ "name", "sha256", "projects": ["*"] or ids }]` with the keys that may use the API; read again when it changes. `orion keys new` makes an entry. Unset: no key is asked for, and only loopback is allowed.',
    ),
  ORION_ALLOWED_HOSTS: listField(
    'hosts such as chat.example or 127.0.0.1:8080',
    (entry) => parseHost(entry) !== undefined,
  )
    .optional()
    .describe(
      'Names in `Host` that are answered, separated by commas; one without a port means any port. Unset: the names of loopback. Beyond loopback the name of the machine is always one.',
    ),
  ORION_ALLOWED_ORIGINS: listField(
    'origins such as https://chat.example:8080',
    (entry) => parseOrigin(entry) !== undefined,
  )
    .optional()
    .describe('Origins of web pages that may use the API besides the gateway’s own, separated by commas.'),
  RATE_LIMIT_TURNS_PER_MINUTE: integerField(0, 1_000_000)
    .default(60)
    .describe(
      'Turns that one client (API key, else address) may start a minute, stored messages of `orion` and `system` included; 0: no limit.',
    ),
  MAX_STREAMS_PER_CLIENT: integerField(1, 100_000)
    .default(100)
    .describe('Event streams that one client may hold open.'),
  ORION_MAX_CONNECTIONS: integerField(10, 1_000_000)
    .default(4_000)
    .describe(
      'Connections that the gateway holds open in all; never more than three quarters of the files that the process may have open (`ulimit -n`).',
    ),
  MAX_TWO_STAGE_TURNS_PER_KEY: integerField(0, 100_000)
    .default(100)
    .describe('Turns of the two-stage protocol that one API key may have running; 0: no limit.'),
  MAX_STANDARD_TURNS_PER_KEY: integerField(0, 100_000)
    .default(100)
    .describe('The same for the standard protocol.'),
};
