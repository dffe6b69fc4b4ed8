/** The lint zones, proven by planting what they forbid: a pattern that matches nothing would look like peace. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));
const ZONES = 'eslint(no-restricted-imports)';

const use = (module: string): string => `import * as used from '${module}';\nexport const planted = used;\n`;
const useType = (module: string): string => `import type { T } from '${module}';\nexport type Planted = T;\n`;

/** File, what it contains, and the rule that must name it. */
const forbidden: readonly (readonly [file: string, code: string, rule: string])[] = [
  ['src/contracts/a.ts', use('../protocol/x.ts'), ZONES],
  ['src/contracts/b.ts', use('node:fs'), ZONES],
  ['src/protocol/a.ts', use('node:fs'), ZONES],
  ['src/protocol/b.ts', use('zod'), ZONES],
  ['src/protocol/c.ts', use('../llm/x.ts'), ZONES],
  ['src/protocol/d.ts', useType('@temporalio/workflow'), ZONES],
  ['src/protocol/e.ts', 'export const planted = Date.now();\n', 'eslint(no-restricted-properties)'],
  ['src/protocol/f.ts', 'export const planted = Math.random();\n', 'eslint(no-restricted-properties)'],
  ['src/protocol/g.ts', 'setTimeout(() => undefined, 1);\n', 'eslint(no-restricted-globals)'],
  ['src/agent/a.ts', use('../config/x.ts'), ZONES],
  ['src/agent/b.ts', 'export const planted = process.argv;\n', 'eslint(no-restricted-globals)'],
  ['src/write-session/a.ts', use('node:crypto'), ZONES],
  ['src/write-session/b.ts', use('../tools/x.ts'), ZONES],
  ['src/write-session/c.ts', 'export const planted = Date.now();\n', 'eslint(no-restricted-properties)'],
  ['workflows/a.ts', use('../activities/x.ts'), ZONES],
  ['workflows/b.ts', use('../src/db/x.ts'), ZONES],
  ['workflows/c.ts', use('node:crypto'), ZONES],
  ['workflows/d.ts', use('@temporalio/client'), ZONES],
  ['activities/a.ts', use('../workflows/turn-workflow.ts'), ZONES],
  ['activities/b.ts', use('../src/gateway/app.ts'), ZONES],
  ['activities/c.ts', use('../worker/main.ts'), ZONES],
  ['activities/d.ts', use('@temporalio/workflow'), ZONES],
  ['src/gateway/a.ts', use('../../worker/main.ts'), ZONES],
  ['src/gateway/b.ts', use('../../workflows/turn-workflow.ts'), ZONES],
  ['src/gateway/routes/c.ts', use('../../../activities/x.ts'), ZONES],
  ['src/gateway/d.ts', use('../stack/main.ts'), ZONES],
  ['src/gateway/e.ts', use('@temporalio/worker'), ZONES],
  ['src/turns/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/turns/b.ts', use('../../workflows/turn-workflow.ts'), ZONES],
  ['src/sessions/a.ts', use('../../workflows/write-session-workflow.ts'), ZONES],
  ['src/access/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/logs/a.ts', use('@temporalio/client'), ZONES],
  ['src/db/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/db/migrations/b.ts', use('../../gateway/app.ts'), ZONES],
  ['src/llm/a.ts', use('@temporalio/client'), ZONES],
  ['src/tools/a.ts', use('../../workflows/messages.ts'), ZONES],
  ['src/stack/a.ts', use('../../worker/bundle.ts'), ZONES],
  ['src/stack/b.ts', use('../gateway/app.ts'), ZONES],
  ['src/background/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/cli/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/cli/turn/b.ts', use('../../protocol/event-log.ts'), ZONES],
  ['src/cli/c.ts', use('@temporalio/client'), ZONES],
  ['worker/a.ts', use('../src/stack/main.ts'), ZONES],
  ['worker/b.ts', use('../src/gateway/app.ts'), ZONES],
  ['src/db/c.ts', 'export const planted = process.env;\n', 'node(no-process-env)'],
  ['src/db/d.ts', 'export default 1;\n', 'import(no-default-export)'],
  ['src/db/e.ts', 'export const planted: any = 1;\n', 'typescript(no-explicit-any)'],
];

/** What the zones are there to let through. */
const allowed: readonly (readonly [file: string, code: string])[] = [
  ['src/contracts/ok.ts', use('zod') + useType('./x.ts')],
  ['src/protocol/ok.ts', use('../contracts/x.ts')],
  ['src/agent/ok.ts', use('../protocol/x.ts')],
  ['src/write-session/ok.ts', use('../contracts/x.ts') + useType('../protocol/x.ts')],
  ['workflows/ok2.ts', use('../src/write-session/x.ts')],
  ['workflows/ok.ts', use('@temporalio/workflow') + useType('../activities/x.ts')],
  ['activities/ok.ts', use('../workflows/messages.ts') + useType('../src/tools/workspace/x.ts')],
  ['activities/ok2.ts', use('../src/tools/workspace/x.ts')],
  ['src/gateway/routes/ok.ts', use('../../../workflows/messages.ts') + useType('../../db/x.ts')],
  ['src/turns/ok.ts', use('@temporalio/client')],
  ['src/stack/ok.ts', use('../db/migrate.ts')],
  ['src/cli/turn/ok.ts', use('../../contracts/x.ts') + useType('../http/turns.ts')],
  ['worker/ok.ts', use('../activities/x.ts')],
];

const reportSchema = z.object({
  diagnostics: z.array(z.object({ code: z.string().optional(), filename: z.string() })),
});

/** Folder in which the files stand as they would in the checkout. */
const folder = mkdtempSync(join(tmpdir(), 'orion-lint-'));
const found = new Map<string, string[]>();

const lint = async (): Promise<string> => {
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint');
  // Exit code 1 means findings, which is what we want.
  const result = await promisify(execFile)(oxlint, ['-f', 'json'], { cwd: folder }).catch(
    (error: unknown) => error,
  );
  return z.object({ stdout: z.string() }).parse(result).stdout;
};

beforeAll(async () => {
  cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const [file, code] of [...forbidden, ...allowed]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  for (const { code, filename } of reportSchema.parse(JSON.parse(await lint())).diagnostics) {
    const file = relative(folder, join(folder, filename));
    found.set(file, [...(found.get(file) ?? []), code ?? '']);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('lint zones', () => {
  it.each(forbidden)('%s is refused', (file, _code, rule) => {
    expect(found.get(file)).toContain(rule);
  });

  it.each(allowed)('%s is let through', (file) => {
    expect(found.get(file) ?? []).not.toContain(ZONES);
  });
});
