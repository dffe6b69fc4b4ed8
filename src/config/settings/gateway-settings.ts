import { parseHost, parseOrigin } from '../../base/hosts/host-rules.ts';
import { integerField, listField, textField } from './fields.ts';

/** Settings of the gateway: where it listens, who may use it, and how much of it. */
export const gatewaySettings = {
  ORION_HOST: textField
    .default('127.0.0.1')
    .describe(
      'Address on which the gateway listens. An address beyond loopback requires `ORION_API_KEYS_FILE`.',
    ),
  ORION_PORT: integerField(0, 65_535)
    .default(5000)
    .describe('Port of the gateway. 0: the operating system chooses one.'),
  ORION_API_KEYS_FILE: textField
    .optional()
    .describe(
      'JSON file `[{ "name", "sha256", "projects": ["*"] or ids }]` with the keys that may use the API. `orion keys new` creates an entry. The gateway reads the file again when it changes. Unset: the API requires no key, and the gateway may listen only on loopback.',
    ),
  ORION_ALLOWED_HOSTS: listField(
    'hosts such as chat.example or 127.0.0.1:8080',
    (entry) => parseHost(entry) !== undefined,
  )
    .optional()
    .describe(
      'Accepted values of the `Host` header, separated by commas. An entry without a port matches any port. Unset: the names of loopback. A gateway that listens beyond loopback always accepts the name of its machine.',
    ),
  ORION_ALLOWED_ORIGINS: listField(
    'origins such as https://chat.example:8080',
    (entry) => parseOrigin(entry) !== undefined,
  )
    .optional()
    .describe('Origins, other than the gateway’s own, whose web pages may use the API, separated by commas.'),
  RATE_LIMIT_TURNS_PER_MINUTE: integerField(0, 1_000_000)
    .default(60)
    .describe(
      'Turns that one client may start per minute, including stored messages of `orion` and `system`. A client is an API key or, without a key, an address. 0: no limit.',
    ),
  MAX_STREAMS_PER_CLIENT: integerField(1, 100_000)
    .default(100)
    .describe('Event streams that one client may have open.'),
  ORION_MAX_CONNECTIONS: integerField(10, 1_000_000)
    .default(4_000)
    .describe(
      'Total connections that the gateway keeps open. The effective limit is at most three quarters of the files that the process may open (`ulimit -n`).',
    ),
  MAX_TWO_STAGE_TURNS_PER_KEY: integerField(0, 100_000)
    .default(100)
    .describe('Turns of the two-stage protocol that one API key may have running. 0: no limit.'),
  MAX_STANDARD_TURNS_PER_KEY: integerField(0, 100_000)
    .default(100)
    .describe('Turns of the standard protocol that one API key may have running. 0: no limit.'),
};
