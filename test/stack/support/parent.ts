/** A child with a child of its own that hears neither signals nor the end of its input, as some MCP servers do not. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { joinSupervisor } from '../../../src/process/supervised.ts';

const deaf = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 60_000);";
const { pid } = spawn(process.execPath, ['-e', deaf], { stdio: 'ignore' });
writeFileSync('grandchild', String(pid));
joinSupervisor(() => undefined)();
setInterval(() => undefined, 60_000);
