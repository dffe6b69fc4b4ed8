/**
 * An MCP server over stdio with two tools, which Orion treats differently (docs/tools.md "MCP servers"): the one that
 * says it only reads is offered in plan mode and retried after a failure; the other one is a write, which runs at most
 * once, and whose lost outcome is reported as `OUTCOME_UNKNOWN`.
 *
 * A worker starts it as examples/mcp-servers.json says, gives it the variables named there and those of a login, such
 * as PATH and HOME, and ends it when the worker itself ends. Each worker has a server of its own, so what has to last
 * is kept in a file. stdout belongs to the protocol.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const journalFile = process.env['JOURNAL_FILE'];
if (journalFile === undefined) {
  throw new Error('JOURNAL_FILE: expected the path of the journal, received nothing');
}

/** @param {string} text */
const toResult = (text) => ({ content: [{ type: /** @type {const} */ ('text'), text }] });

serveStdio(() => {
  const server = new McpServer({ name: 'journal', version: '1.0.0' });

  server.registerTool(
    'read',
    {
      description: 'The last entries of the journal, the newest at the end.',
      inputSchema: z.object({ entries: z.number().int().min(1).max(100).describe('How many') }),
      annotations: { readOnlyHint: true },
    },
    async ({ entries }) => {
      const text = await readFile(journalFile, 'utf8').catch(() => '');
      return toResult(text.trimEnd().split('\n').slice(-entries).join('\n'));
    },
  );

  server.registerTool(
    'note',
    {
      description: 'Adds an entry to the journal.',
      inputSchema: z.object({ text: z.string().min(1).describe('One line') }),
    },
    async ({ text }) => {
      await appendFile(journalFile, `${text.replaceAll('\n', ' ')}\n`);
      return toResult('noted');
    },
  );

  return server;
});
