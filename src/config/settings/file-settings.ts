import { booleanField, fileMaskField, integerField, textField } from './fields.ts';

/** The settings of files: where they are kept, who else may read them, how much may be stored and for how long. */
export const fileSettings = {
  ORION_DATA_DIR: textField
    .default('.orion')
    .describe('Folder for databases, logs and texts of write sessions.'),
  ORION_WORKSPACE: textField
    .optional()
    .describe(
      'The only folder that tools can reach. It must exist and must not contain the data directory. Unset: `workspace` in the data directory.',
    ),
  ORION_PROJECT_FOLDERS: booleanField
    .optional()
    .describe(
      'Gives each project its own folder in the workspace. Unset: on if any API key is bound to projects, otherwise off.',
    ),
  ORION_UMASK: fileMaskField
    .default('077')
    .describe(
      'Permissions to withhold from new files, including files in the workspace. Everything else in the data directory, such as databases and logs, is always closed to other accounts.',
    ),
  ORION_KEY_BYTES_PER_DAY: integerField(0, 999_999_999_999_999)
    .default(10_737_418_240)
    .describe(
      'Bytes of messages, drafts and contents that one API key may store per UTC day, across all gateways. Without API keys the limit applies to everybody together. 0: no limit.',
    ),
  ORION_MIN_FREE_BYTES: integerField(0, 999_999_999_999_999)
    .optional()
    .describe(
      'Bytes to keep free on the disks of the data directory and the workspace. Orion refuses whatever would use them. 0: no limit. Unset: 256 MiB, or 5 % of the disk if that is less.',
    ),
  ORION_RETENTION_DAYS: integerField(1, 36_500)
    .default(30)
    .describe(
      'Days for which traces and the details of a turn are kept. Messages and turns are kept for ever.',
    ),
};
