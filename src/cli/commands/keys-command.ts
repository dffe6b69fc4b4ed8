import { addKey } from '../../access/add-key.ts';
import { newKey } from '../../access/new-key.ts';
import type { Command } from '../args/command.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { OutputStream } from '../render/output.ts';

type NewKeyCommand = Extract<Command, { name: 'keys new' }>;

/**
 * Prints a key and, on the next line, the entry that recognises it. Only its user knows the key; the entry goes into
 * the file that the command names, and without one the operator of the gateway adds it. Throws as `addKey`.
 */
export const printNewKey = (
  stdout: OutputStream,
  stderr: OutputStream,
  { projects, keyName, addTo, printsJson }: NewKeyCommand,
): ExitCode => {
  const { key, entry } = newKey(keyName, projects);
  if (addTo !== undefined) addKey(addTo, entry);
  if (printsJson) {
    stdout.write(`${JSON.stringify({ key, entry })}\n`);
    return EXIT.done;
  }
  if (addTo !== undefined) {
    stderr.write(`The key, shown only now; gateways that use ${addTo} take it within a second:\n`);
    stdout.write(`${key}\n`);
    return EXIT.done;
  }
  stderr.write('The key, shown only now, and the entry to add to the file of ORION_API_KEYS_FILE:\n');
  stdout.write(`${key}\n${JSON.stringify(entry)}\n`);
  return EXIT.done;
};
