import { addKey } from '../../access/add-key.ts';
import { newKey } from '../../access/new-key.ts';
import type { CommandNamed } from '../args/command.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { jsonLine, type OutputStream } from '../render/output.ts';

/**
 * Runs `orion keys new`: makes an API key and prints it, which is the only time that it is shown. The entry by which a
 * gateway recognises the key is added to the file `addTo`. Without such a file, or as JSON, the entry is printed, too.
 * Throws as `addKey` does.
 */
export const runKeysNew = (
  stdout: OutputStream,
  stderr: OutputStream,
  { projects, keyName, addTo, printsJson }: CommandNamed<'keys new'>,
): ExitCode => {
  const { key, entry } = newKey(keyName, projects);
  if (addTo !== undefined) addKey(addTo, entry);
  if (printsJson) {
    stdout.write(jsonLine({ key, entry }));
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
