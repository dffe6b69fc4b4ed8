import { z } from 'zod';
import { isLoopback } from '../../base/hosts/loopback.ts';
import { fileSettings } from './file-settings.ts';
import { gatewaySettings } from './gateway-settings.ts';
import { logSettings, notificationSettings, processSettings } from './process-settings.ts';
import { modelSettings, turnSettings, writeSessionSettings } from './turn-settings.ts';

/**
 * Sections of docs/configuration.md. The page is generated from them, and a setting's description says what it is for.
 */
export const settingSections = {
  Gateway: gatewaySettings,
  Files: fileSettings,
  Model: modelSettings,
  Turns: turnSettings,
  'Write sessions': writeSessionSettings,
  'Servers and processes': processSettings,
  Notifications: notificationSettings,
  'Logs and metrics': logSettings,
};

/** The settings of gateways, workers and `npm start`, by the names of their variables (docs/configuration.md). */
export const settingsSchema = z
  .object({
    ...settingSections.Gateway,
    ...settingSections.Files,
    ...settingSections.Model,
    ...settingSections.Turns,
    ...settingSections['Write sessions'],
    ...settingSections['Servers and processes'],
    ...settingSections.Notifications,
    ...settingSections['Logs and metrics'],
  })
  .refine(
    ({ ORION_HOST, ORION_API_KEYS_FILE }) => ORION_API_KEYS_FILE !== undefined || isLoopback(ORION_HOST),
    {
      path: ['ORION_HOST'],
      message: 'expected 127.0.0.1, ::1 or localhost (beyond loopback ORION_API_KEYS_FILE must be set)',
      // Checked even when another variable is wrong, so that all problems show at once.
      when: () => true,
    },
  );
/** The settings of gateways, workers and `npm start`, as `settingsSchema` reads them. */
export type Settings = z.infer<typeof settingsSchema>;
/** Name of an environment variable that is a setting of gateways, workers or `npm start`. */
export type SettingName = keyof Settings;

/** Setting names by their aliases. The setting's own name wins when both are set. */
export const SETTING_ALIASES: Readonly<Record<string, SettingName>> = {
  MAX_PHASE_CYCLES: 'MAX_PHASE_CYCLES_PER_TURN',
  MAX_DUPLICATE_ATTEMPTS: 'MAX_DUPLICATE_ATTEMPTS_PER_TURN',
  ADAPTER_TYPE: 'ORION_MODEL_PROVIDER',
};

/**
 * Secrets among these settings. They are printed only masked, and `<name>_FILE` may name a file that contains the
 * value.
 */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'OPENAI_API_KEY',
  'ORION_INTERNAL_TOKEN',
  'REDIS_URL',
  'ORION_WEBHOOK_SECRET',
  'TEMPORAL_API_KEY',
] as const satisfies readonly SettingName[];
