import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';

/** Resolves to the bundle that the global set-up built: the build would have failed if workflow code used Node. */
const bundle = (): Promise<string> => readFile(process.env['ORION_TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');

/** What may be part of the bundle: workflows, pure folders, and the names of signals, queries and updates. */
const MAY_BUNDLE =
  /^(?:workflows|src\/(?:contracts|protocol|write-session))\/|^src\/temporal\/(?:turn|write-session)-messages\.ts$/;

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

  it('contains nothing of Orion but workflows and pure code, not even by an accidental import', async () => {
    const modules = Array.from((await bundle()).matchAll(/^ *!\*{3} \.\/(\S+)/gm), ([, path = '']) => path);
    const ours = modules.filter((path) => !path.startsWith('node_modules/'));
    expect(ours.length).toBeGreaterThan(100);
    expect(ours.filter((path) => !MAY_BUNDLE.test(path))).toEqual([]);
  });
});
