import { booleanField, fileMaskField, integerField, textField } from './fields.ts';

/** The settings of files: where they are kept, who owns them, and how much may be stored for how long. */
export const fileSettings = {
  ORION_DATA_DIR: textField.default('.orion').describe('Databases, logs, texts of write sessions.'),
  ORION_WORKSPACE: textField
    .optional()
    .describe(
      'The only folder that tools can reach; it must be there, and must not contain the data directory. Unset: `workspace` in the data directory.',
    ),
  ORION_PROJECT_FOLDERS: booleanField
    .optional()
    .describe(
      'Gives each project a folder of its own in the workspace. Unset: on if any API key is bound to projects, else off.',
    ),
  ORION_UMASK: fileMaskField
    .default('077')
    .describe(
      'Permissions that new files do not get, those of the workspace included. Databases, logs and all else in the data directory are closed to other accounts whatever it says.',
    ),
  ORION_KEY_BYTES_PER_DAY: integerField(0, 999_999_999_999_999)
    .default(10_737_418_240)
    .describe(
      'Bytes of messages, drafts and contents that one API key may store a day (UTC), over all gateways; without keys, all together; 0: no limit.',
    ),
  ORION_MIN_FREE_BYTES: integerField(0, 999_999_999_999_999)
    .optional()
    .describe(
      'Bytes that stay free on the disks of data directory and workspace: what would take them is refused; 0: no limit. Unset: 256 MiB, or 5 % of a smaller disk.',
    ),
  ORION_RETENTION_DAYS: integerField(1, 36_500)
    .default(30)
    .describe(
      'Traces, and what is stored of a turn beside its messages, are kept this long; messages and turns stay.',
    ),
};
