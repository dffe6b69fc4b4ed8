import { newKey } from '../../access/new-key.ts';
import type { Command } from '../args/command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Output } from '../render/screen.ts';

type NewKeyCommand = Extract<Command, { name: 'keys new' }>;

/**
 * Prints a key and, on the next line, the entry that recognises it. Nothing is stored: whoever runs the gateway adds
 * the entry, and the key is known to its user alone.
 */
export const printNewKey = (
  stdout: Output,
  stderr: Output,
  { projects, keyName, json }: NewKeyCommand,
): ExitCode => {
  const { key, entry } = newKey(keyName, projects);
  if (json) {
    stdout.write(`${JSON.stringify({ key, entry })}\n`);
    return EXIT.done;
  }
  stderr.write('The key, shown only now, and the entry to add to the file of ORION_API_KEYS_FILE:\n');
  stdout.write(`${key}\n${JSON.stringify(entry)}\n`);
  return EXIT.done;
};
