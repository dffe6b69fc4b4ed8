/**
 * Proves the lint zones by planting what they forbid, because a pattern that matches nothing would look like success.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ROOT } from '../support/root.ts';

const ZONES = 'eslint(no-restricted-imports)';
const GLOBALS = 'eslint(no-restricted-globals)';
const PROPERTIES = 'eslint(no-restricted-properties)';
const CYCLE = 'import(no-cycle)';

/** Returns a name for what is imported from a module, so that one file can import several. */
const nameFor = (module: string): string => module.replaceAll(/\W/g, '_');
const use = (module: string): string =>
  `import * as ${nameFor(module)} from '${module}';\nexport const of${nameFor(module)} = ${nameFor(module)};\n`;
const useType = (module: string): string =>
  `import type { T as ${nameFor(module)} } from '${module}';\nexport type Of${nameFor(module)} = ${nameFor(module)};\n`;
const circle = (module: string): string =>
  `import type { T as Other } from '${module}';\nexport type T = Other;\n`;

/** A file, what it contains, and the rule that must name it. */
const forbidden: readonly (readonly [file: string, code: string, rule: string])[] = [
  ['src/contracts/a.ts', use('../protocol/x.ts'), ZONES],
  ['src/contracts/b.ts', use('node:fs'), ZONES],
  ['src/contracts/wire/c.ts', use('../../base/x.ts'), ZONES],
  ['src/contracts/payload/e.ts', use('zod'), ZONES],
  ['src/contracts/turn/f.ts', useType('../http/x.ts'), ZONES],
  ['src/contracts/http/g.ts', useType('../payload/x.ts'), ZONES],
  ['src/contracts/values/h.ts', use('../../write-session/x.ts'), ZONES],
  ['src/contracts/d.ts', use('../base/x.ts'), ZONES],
  ['src/base/a.ts', use('../config/x.ts'), ZONES],
  ['src/base/b.ts', use('../db/x.ts'), ZONES],
  ['src/base/json/c.ts', use('../../db/connection/x.ts'), ZONES],
  ['src/protocol/turn/a.ts', use('node:fs'), ZONES],
  ['src/protocol/calls/b.ts', use('zod'), ZONES],
  ['src/protocol/stream/c.ts', use('../../llm/x.ts'), ZONES],
  ['src/protocol/event-log/d.ts', useType('@temporalio/workflow'), ZONES],
  ['src/protocol/event-log/e.ts', useType('../ports/x.ts'), ZONES],
  ['src/protocol/ports/a.ts', useType('../turn/x.ts'), ZONES],
  ['src/protocol/ports/b.ts', useType('../event-log/x.ts'), ZONES],
  ['src/protocol/stream/e.ts', useType('../calls/x.ts'), ZONES],
  ['src/protocol/stream/f.ts', useType('../turn/x.ts'), ZONES],
  ['src/protocol/calls/e.ts', useType('../turn/x.ts'), ZONES],
  ['src/protocol/calls/f.ts', use('../event-log/x.ts'), ZONES],
  ['src/protocol/turn/k.ts', useType('../protocols/x.ts'), ZONES],
  ['src/protocol/turn/l.ts', useType('../inputs/x.ts'), ZONES],
  ['src/protocol/inputs/a.ts', useType('../protocols/x.ts'), ZONES],
  ['src/protocol/event-log/payload.ts', useType('../../contracts/payload/x.ts'), ZONES],
  ['src/protocol/ports/payload.ts', useType('../../contracts/payload/x.ts'), ZONES],
  ['src/protocol/stream/payload.ts', useType('../../contracts/payload/x.ts'), ZONES],
  ['src/protocol/calls/payload.ts', useType('../../contracts/payload/x.ts'), ZONES],
  ['src/protocol/turn/payload.ts', useType('../../contracts/payload/x.ts'), ZONES],
  ['src/protocol/inputs/payload.ts', useType('../../contracts/payload/x.ts'), ZONES],
  ['src/protocol/protocols/payload.ts', useType('../../contracts/payload/x.ts'), ZONES],
  ['src/protocol/protocols/a.ts', use('zod'), ZONES],
  ['src/protocol/protocols/b.ts', use('../../base/x.ts'), ZONES],
  ...[
    'Date.now()',
    'new Date()',
    'Date()',
    'globalThis.fetch',
    'global',
    'new WebSocket("ws://a")',
    'new EventSource("")',
    "new Intl.NumberFormat('de')",
    'navigator.hardwareConcurrency',
    'new Worker("a.js")',
    'new SharedArrayBuffer(1)',
    'Atomics.isLockFree(1)',
    'new WeakRef({})',
    'new FinalizationRegistry(() => undefined)',
    'new AbortController()',
    'AbortSignal.timeout(1)',
    'new MessageChannel()',
    "new BroadcastChannel('a')",
  ].map(
    (code, i) => [`src/protocol/turn/global-${i}.ts`, `export const planted = ${code};\n`, GLOBALS] as const,
  ),
  ...['src/contracts/values', 'src/protocol/turn', 'src/write-session', 'workflows/turn'].flatMap((zone) =>
    [
      "'a'.localeCompare('b')",
      "'a'.toLocaleLowerCase()",
      "'a'.toLocaleUpperCase()",
      '(1).toLocaleString()',
      '({}).toLocaleDateString()',
      '({}).toLocaleTimeString()',
    ].map((code, i) => [`${zone}/locale-${i}.ts`, `export const planted = ${code};\n`, PROPERTIES] as const),
  ),
  ['src/contracts/wire/d.ts', 'export const planted = Date.now();\n', GLOBALS],
  ['src/contracts/http/i.ts', 'export const planted = new Date();\n', GLOBALS],
  ['src/contracts/turn/j.ts', 'export const planted = process.argv;\n', GLOBALS],
  ['src/contracts/payload/k.ts', 'setTimeout(() => undefined, 1);\n', GLOBALS],
  ['src/contracts/model/l.ts', 'export const planted = Math.random();\n', PROPERTIES],
  ['src/protocol/turn/e.ts', 'queueMicrotask(() => undefined);\n', GLOBALS],
  ['src/protocol/turn/f.ts', 'export const planted = Math.random();\n', PROPERTIES],
  ['src/protocol/turn/g.ts', 'setTimeout(() => undefined, 1);\n', GLOBALS],
  ['src/protocol/turn/h.ts', use('../../config/x.ts'), ZONES],
  ['src/protocol/turn/i.ts', 'export const planted = process.argv;\n', GLOBALS],
  ['src/write-session/a.ts', use('node:crypto'), ZONES],
  ['src/write-session/f.ts', use('@noble/hashes/hmac.js'), ZONES],
  ['src/protocol/turn/j.ts', use('@noble/hashes/sha2.js'), ZONES],
  ['src/write-session/b.ts', use('../tools/x.ts'), ZONES],
  ['src/write-session/d.ts', useType('../protocol/turn/x.ts'), ZONES],
  ['src/write-session/payload.ts', useType('../contracts/payload/x.ts'), ZONES],
  ['src/write-session/e.ts', use('../write-session-service/x.ts'), ZONES],
  ['src/write-session/c.ts', 'export const planted = new Date();\n', GLOBALS],
  ['workflows/f.ts', 'queueMicrotask(() => undefined);\n', GLOBALS],
  ['workflows/turn/d.ts', 'export const planted = globalThis.performance;\n', GLOBALS],
  ['workflows/turn/e.ts', 'export const planted = new WeakRef({});\n', GLOBALS],
  ['workflows/g.ts', 'export const planted = new FinalizationRegistry(() => undefined);\n', GLOBALS],
  ['workflows/h.ts', "export const planted = new Intl.NumberFormat('de');\n", GLOBALS],
  ['workflows/write-session/a.ts', 'setInterval(() => undefined, 1);\n', GLOBALS],
  ['workflows/a.ts', use('../activities/x.ts'), ZONES],
  ['workflows/b.ts', use('../src/db/x.ts'), ZONES],
  ['workflows/c.ts', use('node:crypto'), ZONES],
  ['workflows/e.ts', use('../../src/temporal/temporal-client.ts'), ZONES],
  ['workflows/d.ts', use('@temporalio/client'), ZONES],
  ['workflows/turn/a.ts', use('../../activities/x.ts'), ZONES],
  ['workflows/turn/b.ts', use('../../src/db/x.ts'), ZONES],
  ['workflows/turn/c.ts', use('../write-session/x.ts'), ZONES],
  ['activities/a.ts', use('../../workflows/turn/turn-workflow.ts'), ZONES],
  ['activities/b.ts', use('../../src/gateway/app.ts'), ZONES],
  ['activities/c.ts', use('../../worker/main.ts'), ZONES],
  ['activities/call-model/e.ts', use('../../workflows/turn/turn-workflow.ts'), ZONES],
  ['activities/call-model/f.ts', use('../../src/gateway/app.ts'), ZONES],
  ['activities/d.ts', use('@temporalio/workflow'), ZONES],
  ['src/web/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/web/turn/b.ts', use('../../protocol/event-log/event-log.ts'), ZONES],
  ['src/web/changes/a.ts', use('../../write-session/content-ref.ts'), ZONES],
  ['src/web/page/c.tsx', use('node:fs'), ZONES],
  ['src/web/page/d.tsx', use('pino'), ZONES],
  [
    'src/web/page/e.tsx',
    "import { useEffect } from 'react';\nexport const usePlanted = (a: number): void => useEffect(() => void a, []);\n",
    'react-hooks(exhaustive-deps)',
  ],
  [
    'src/web/page/f.tsx',
    "import { useState } from 'react';\nexport const Planted = (a: number): unknown => (a > 1 ? useState(a) : a);\n",
    'react-hooks(rules-of-hooks)',
  ],
  ['src/gateway/a.ts', use('../../worker/main.ts'), ZONES],
  ['src/gateway/b.ts', use('../../workflows/turn/turn-workflow.ts'), ZONES],
  ['src/gateway/routes/c.ts', use('../../../activities/x.ts'), ZONES],
  ['src/gateway/d.ts', use('../stack/main.ts'), ZONES],
  ['src/gateway/e.ts', use('@temporalio/worker'), ZONES],
  ['src/turn-service/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/turn-service/b.ts', use('../../workflows/turn/turn-workflow.ts'), ZONES],
  ['src/temporal/a.ts', use('../../workflows/turn/turn-workflow.ts'), ZONES],
  ['src/write-session-service/a.ts', use('../../workflows/write-session/write-session-workflow.ts'), ZONES],
  ['src/turn-service/circle.ts', circle('./round.ts'), CYCLE],
  ['src/turn-service/round.ts', circle('./circle.ts'), CYCLE],
  ['src/access/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/process/a.ts', use('@temporalio/client'), ZONES],
  ['src/files/workspace/a.ts', use('../../temporal/x.ts'), ZONES],
  ['src/demo-model/a.ts', use('../gateway/app.ts'), ZONES],
  ['examples/a.mjs', use('../../src/contracts/values/ids.ts'), ZONES],
  ['examples/browser/a.mjs', use('eventsource-parser'), ZONES],
  ['src/tools/b.ts', use('../compat/x.ts'), ZONES],
  ['src/turn-service/c.ts', use('../compat/x.ts'), ZONES],
  ['src/gateway/routes/f.ts', use('../../compat/x.ts'), ZONES],
  ['worker/c.ts', use('../src/compat/x.ts'), ZONES],
  ['activities/g.ts', use('../src/compat/x.ts'), ZONES],
  ['src/cli/e.ts', use('../compat/x.ts'), ZONES],
  ['src/compat/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/db/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/db/migrations/b.ts', use('../../gateway/app.ts'), ZONES],
  ['src/llm/a.ts', use('@temporalio/client'), ZONES],
  ['src/tools/a.ts', use('../temporal/turn-messages.ts'), ZONES],
  ['src/stack/a.ts', use('../../worker/bundle.ts'), ZONES],
  ['src/stack/b.ts', use('../gateway/app.ts'), ZONES],
  ['src/background/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/cli/a.ts', use('../gateway/app.ts'), ZONES],
  ['src/cli/turn/b.ts', use('../../protocol/event-log/event-log.ts'), ZONES],
  ['src/cli/d.ts', use('../files/workspace/x.ts'), ZONES],
  ['src/cli/turn/e.ts', use('../../tools/x.ts'), ZONES],
  ['src/cli/c.ts', use('@temporalio/client'), ZONES],
  ['worker/a.ts', use('../../src/stack/main.ts'), ZONES],
  ['worker/b.ts', use('../../src/gateway/app.ts'), ZONES],
  ['src/db/c.ts', 'export const planted = process.env;\n', 'node(no-process-env)'],
  ['src/db/d.ts', 'export default 1;\n', 'import(no-default-export)'],
  ['src/db/e.ts', 'export const planted: any = 1;\n', 'typescript(no-explicit-any)'],
  ['src/db/f.ts', 'export function planted() {}\n', 'eslint(func-style)'],
  ['src/db/g.ts', 'export function* planted() {}\n', 'eslint(func-style)'],
  [
    'src/db/h.ts',
    "import { planted } from './e.ts';\nimport type { T } from './e.ts';\nexport const again: T = planted;\n",
    'eslint(no-duplicate-imports)',
  ],
];

/** Code that the zones must allow. */
const allowed: readonly (readonly [file: string, code: string])[] = [
  ['src/contracts/values/ok.ts', use('zod') + useType('./x.ts')],
  ['src/contracts/http/ok.ts', use('zod') + useType('../wire/x.ts') + useType('../values/ids.ts')],
  ['src/base/ok.ts', use('../contracts/values/x.ts') + use('../contracts/http/x.ts')],
  ['src/base/json/ok.ts', use('../../contracts/values/x.ts') + use('../../contracts/http/x.ts')],
  ['src/protocol/turn/ok.ts', use('../calls/x.ts') + use('../../write-session/x.ts')],
  ['src/protocol/ports/ok.ts', useType('../../write-session/x.ts') + useType('../../contracts/model/x.ts')],
  ['src/protocol/stream/ok.ts', use('../ports/x.ts') + use('../../contracts/model/x.ts')],
  ['src/protocol/calls/ok.ts', use('../ports/x.ts') + use('../stream/x.ts')],
  ['src/protocol/turn/ok2.ts', use('../event-log/x.ts') + use('../ports/x.ts') + use('../stream/x.ts')],
  ['src/protocol/inputs/ok.ts', use('../turn/x.ts') + use('../calls/x.ts') + use('../ports/x.ts')],
  ['src/protocol/protocols/ok.ts', use('../inputs/x.ts') + use('../turn/x.ts') + use('../ports/x.ts')],
  ['src/write-session/ok.ts', use('../contracts/write-session/x.ts') + use('@noble/hashes/sha2.js')],
  ['workflows/ok2.ts', use('../src/write-session/x.ts') + use('../src/contracts/wire/x.ts')],
  ['workflows/ok3.ts', use('../src/temporal/turn-messages.ts') + use('../src/protocol/turn/x.ts')],
  [
    'workflows/turn/ok.ts',
    use('../x.ts') + use('../../src/protocol/turn/x.ts') + useType('../../activities/x.ts'),
  ],
  ['workflows/ok.ts', use('@temporalio/workflow') + useType('../activities/x.ts')],
  ['activities/ok.ts', use('../src/temporal/turn-messages.ts') + useType('../src/files/workspace/x.ts')],
  ['activities/ok2.ts', use('../src/files/workspace/x.ts')],
  ['activities/call-model/ok.ts', use('../../src/llm/x.ts') + use('../x.ts')],
  ['src/gateway/routes/ok.ts', use('../../../src/temporal/turn-messages.ts') + useType('../../db/x.ts')],
  ['src/turn-service/ok.ts', use('@temporalio/client')],
  ['src/stack/ok.ts', use('../db/connection/x.ts')],
  ['src/web/changes/ok.ts', use('../../write-session/session-text.ts')],
  ['src/cli/turn/ok.ts', use('../../contracts/tools/x.ts') + useType('../http/x.ts')],
  ['worker/ok.ts', use('../activities/x.ts')],
];

const reportSchema = z.object({
  diagnostics: z.array(z.object({ code: z.string().optional(), filename: z.string() })),
});

/** The folder that contains the files as they would be in the checkout. */
const folder = mkdtempSync(join(tmpdir(), 'orion-lint-'));
const found = new Map<string, string[]>();

const lint = async (): Promise<string> => {
  const oxlint = join(ROOT, 'node_modules', '.bin', 'oxlint');
  // Exit code 1 means that there are findings, which is what this test expects.
  const result = await promisify(execFile)(oxlint, ['-f', 'json'], { cwd: folder }).catch(
    (error: unknown) => error,
  );
  return z.object({ stdout: z.string() }).parse(result).stdout;
};

beforeAll(async () => {
  cpSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const [file, code] of [...forbidden, ...allowed]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  for (const { code, filename } of reportSchema.parse(JSON.parse(await lint())).diagnostics) {
    const file = relative(folder, join(folder, filename));
    found.set(file, [...(found.get(file) ?? []), code ?? 'no rule']);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('lint zones', () => {
  // A file with a syntax error is checked by no rule: whatever it imports would look allowed.
  it.each([...forbidden, ...allowed].map(([file]) => file))('%s can be parsed', (file) => {
    expect(found.get(file) ?? []).not.toContain('no rule');
  });

  it.each(forbidden)('%s is refused', (file, _code, rule) => {
    expect(found.get(file)).toContain(rule);
  });

  it.each(allowed)('%s is allowed', (file) => {
    expect(found.get(file) ?? []).not.toContain(ZONES);
  });
});
