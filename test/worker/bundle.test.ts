import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';

/** Resolves to the bundle that the global set-up built: the build would have failed if workflow code used Node. */
const bundle = (): Promise<string> => readFile(process.env['ORION_TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');

describe('workflow bundle', () => {
  it('holds the workflow and the protocol core', async () => {
    const code = await bundle();
    for (const path of [
      'workflows/compact-workflow.ts',
      'workflows/turn/turn-workflow.ts',
      'workflows/write-session/write-session-workflow.ts',
      'src/protocol/protocols/two-stage-protocol.ts',
      'src/protocol/protocols/run-request.ts',
    ]) {
      expect(code).toContain(path);
    }
  });

  it('keeps async generators, which cost a turn twice the promises when compiled to helpers', async () => {
    const code = await bundle();
    expect(code).toMatch(/async \*\s*executeStreaming/);
    expect(code).not.toContain('_async_generator');
  });

  it('contains nothing of the outer side, not even by an accidental import', async () => {
    const code = await bundle();
    for (const folder of [
      'src/db/',
      'src/llm/',
      'src/tools/',
      'src/live/',
      'src/gateway/',
      'src/config/',
      'activities/call',
      'activities/summarise',
    ]) {
      expect(code).not.toContain(`./${folder}`);
    }
  });
});
