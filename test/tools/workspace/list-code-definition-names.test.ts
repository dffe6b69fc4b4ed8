import { describe, expect, it } from '@jest/globals';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { createListCodeDefinitionNamesTool } from '../../../src/tools/workspace/list-code-definition-names.ts';
import type { ToolOutcome } from '../../../src/tools/tool.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { anyFence, inTempWorkspace, openHandles, type TempWorkspace } from '../support/temp-workspace.ts';
import { longestStall } from '../../support/longest-stall.ts';

interface Listed {
  readonly files: readonly { readonly path: string; readonly definitions: readonly string[] }[];
  readonly note?: string;
}

const list = (
  workspace: Workspace,
  path: string,
  { signal = new AbortController().signal, timeLimitMs = 20_000 } = {},
): Promise<ToolOutcome> =>
  createListCodeDefinitionNamesTool(workspace, { timeLimitMs }).execute(
    { path },
    { turnId: 't', projectId: 'p', signal, fence: anyFence() },
  );

const listed = async (workspace: Workspace, path: string): Promise<Listed> => {
  const outcome = await list(workspace, path);
  if (!outcome.ok) throw new Error(outcome.error);
  return outcome.result as Listed;
};

const inTree = (
  files: Readonly<Record<string, string | Buffer>>,
  test: (temp: TempWorkspace) => Promise<void>,
): Promise<void> =>
  inTempWorkspace({}, async (temp) => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(temp.root, path)), { recursive: true });
      await writeFile(join(temp.root, path), content);
    }
    await test(temp);
  });

const TYPESCRIPT = `import { x } from 'y';
export default class A<T> extends B {
  static field = 1;
  constructor() { function hidden() {} }
  private async m(): Promise<void> {}
  #secret() {}
}
export abstract class Q { abstract z(): void }
export const one = 1, two = () => 2;
const { a, b } = one;
export interface I { m(): void }
type Text = string;
enum E { A }
namespace N { export function f(): void {} }
function over(a: string): void;
function* gen() {}
export default function () {}
`;

describe('list_code_definition_names: languages', () => {
  const tsNames = [
    '2: class A',
    '4: method A.constructor',
    '5: method A.m',
    '6: method A.#secret',
    '8: class Q',
    '8: method Q.z',
    '9: variable one',
    '9: function two',
    '11: interface I',
    '12: type Text',
    '13: enum E',
    '14: namespace N',
    '14: function N.f',
    '15: function over',
    '16: function gen',
  ];

  const samples: readonly (readonly [file: string, text: string, definitions: readonly string[]])[] = [
    ['a.ts', TYPESCRIPT, tsNames],
    ['a.mts', 'export type A = 1', ['1: type A']],
    [
      'a.tsx',
      'export const View = (p: P) => <div>{p.x}</div>;\nfunction Other() { return <b/> }',
      ['1: function View', '2: function Other'],
    ],
    [
      'a.jsx',
      'class A { render() { return <a/> } }\nexport const K = class {}',
      ['1: class A', '1: method A.render', '2: class K'],
    ],
    [
      'a.cjs',
      'function f() {}\nmodule.exports = { f };\nvar g = function () {}',
      ['1: function f', '3: function g'],
    ],
    [
      'a.py',
      '@dec\nclass A(B):\n    y: int = 1\n    async def m(self):\n        self.z = 1\n        def inner(): pass\nX = 1\nif X:\n    def cond(): pass\na, b = 1, 2\n',
      ['2: class A', '3: variable A.y', '4: method A.m', '7: variable X', '9: function cond'],
    ],
    [
      'a.go',
      'package x\nfunc F() {}\nfunc (r *R[T]) M() {}\ntype ( S struct{}; I interface{} )\ntype A = int\nconst ( C = 1\n D = 2)\nvar V = 1\n',
      [
        '2: function F',
        '3: method R.M',
        '4: type S',
        '4: type I',
        '5: type A',
        '6: constant C',
        '7: constant D',
        '8: variable V',
      ],
    ],
    [
      'a.rs',
      'pub mod m { fn inner() {} }\nimpl Foo for Bar { pub fn new() -> Self {} }\npub trait T { fn sig(&self); }\nstruct S; enum E { A } type Al = u8; const C: u8 = 1; macro_rules! mac { () => {} }\n',
      [
        '1: module m',
        '1: function m.inner',
        '2: impl Bar',
        '2: method Bar.new',
        '3: trait T',
        '3: method T.sig',
        '4: struct S',
        '4: enum E',
        '4: type Al',
        '4: constant C',
        '4: macro mac',
      ],
    ],
    [
      'A.java',
      'package x;\n@Foo public class A<T> { int f; A() {} void m() {} enum E { X; void em() {} } }\nrecord R(int a) {}\ninterface I { void m(); }',
      [
        '2: class A',
        '2: constructor A.A',
        '2: method A.m',
        '2: enum A.E',
        '2: method A.E.em',
        '3: record R',
        '4: interface I',
        '4: method I.m',
      ],
    ],
    [
      'a.hpp',
      '#ifndef X\n#define X\nnamespace n { class A { public: A(); void m() const; int f; }; }\nvoid n::A::m() const {}\ntemplate <class T> struct S { T t; };\ntypedef struct { int a; } Td;\nusing Al = int; enum class E { X };\nint proto(int); int *ptr(void) { return 0; } int glob = 1;\n#endif',
      [
        '3: class A',
        '3: method A.A',
        '3: method A.m',
        '4: function n::A::m',
        '5: struct S',
        '6: type Td',
        '7: type Al',
        '7: enum E',
        '8: function proto',
        '8: function ptr',
      ],
    ],
    [
      'a.c',
      'struct P { int x; };\nstatic int *f(struct P *p) { return 0; }',
      ['1: struct P', '2: function f'],
    ],
    [
      'A.cs',
      'namespace N.M {\nclass A { public A() {} void M() {} int P { get; set; } }\ninterface I { void X(); } enum E {} struct S {} record R(int a); delegate void D(); }',
      [
        '2: class A',
        '2: constructor A.A',
        '2: method A.M',
        '2: property A.P',
        '3: interface I',
        '3: method I.X',
        '3: enum E',
        '3: struct S',
        '3: record R',
        '3: delegate D',
      ],
    ],
    [
      'a.rb',
      'module M\n  class A < B\n    X = 1\n    def m; end\n    def self.s; end\n  end\nend\ndef f; end\n',
      [
        '1: module M',
        '2: class M.A',
        '3: variable M.A.X',
        '4: method M.A.m',
        '5: method M.A.s',
        '8: function f',
      ],
    ],
    [
      'a.php',
      '<?php\nnamespace A\\B;\nconst X = 1;\nfunction f() {}\nclass C { public function m() {} }\ntrait T {} interface I {} enum E {}\n',
      [
        '3: constant X',
        '4: function f',
        '5: class C',
        '5: method C.m',
        '6: trait T',
        '6: interface I',
        '6: enum E',
      ],
    ],
    ['a.sh', 'f() { echo; }\nfunction g { echo; }', ['1: function f', '2: function g']],
    ['a.ps1', 'function Get-X { }', ['1: function Get-X']],
  ];

  it('are each listed in their own terms', async () => {
    await inTree(Object.fromEntries(samples), async ({ workspace }) => {
      const { files } = await listed(workspace, '.');
      const found = new Map(files.map(({ path, definitions }) => [path, definitions]));
      for (const [path, , definitions] of samples) {
        expect([path, found.get(path)]).toEqual([path, definitions]);
      }
      expect(files).toHaveLength(samples.length);
    });
  });

  it('broken code is read as far as it goes; names are one line and short', async () => {
    const long = 'x'.repeat(5_000);
    await inTree(
      {
        'broken.ts': 'class A {\n  m() { if ( }\n  n() {}\n}\n',
        'odd.ts': `function ${long}() {}\ndeclare module 'a\\\nb' {}`,
        'odd.py': 'def a(): pass\n\x01\x02\ufffd\ndef b(): pass\n',
      },
      async ({ workspace }) => {
        const { files } = await listed(workspace, '.');
        expect(files[0]?.definitions).toEqual(
          expect.arrayContaining(['1: class A', '2: method A.m', '3: method A.n']),
        );
        for (const definition of files.flatMap((file) => file.definitions)) {
          expect(definition).toMatch(/^\d+: \w+ [^\n]{1,100}$/);
        }
        expect(files.map(({ path }) => path)).toEqual(['broken.ts', 'odd.py', 'odd.ts']);
        expect(files[1]?.definitions).toEqual(expect.arrayContaining(['1: function a']));
      },
    );
  });
});

describe('list_code_definition_names: directories', () => {
  it('lists, sorted, all source files below that list_files lists and that define something', async () => {
    const f = 'export const a = 1;';
    await inTree(
      {
        'b.ts': f,
        'a/z.ts': f,
        'a.md': '# no',
        'empty.ts': '',
        'node_modules/m.ts': f,
        'dist/x.ts': f,
        'out/x.ts': f,
        '.gitignore': 'out/\n',
        '.hidden.ts': f,
      },
      async ({ root, base, workspace }) => {
        await writeFile(join(base, 'outside.ts'), f);
        await symlink('../outside.ts', join(root, 'link.ts'));
        await symlink('..', join(root, 'up'));
        const result = await listed(workspace, '.');
        expect(result.files.map(({ path }) => path)).toEqual(['.hidden.ts', 'a/z.ts', 'b.ts']);
        expect(result.note).toBe('1 files left out: too large, binary or not readable');
      },
    );
  });

  it('cuts a large tree, keeps the shallow files, and says so, within the limit of a result', async () => {
    const text = Array.from({ length: 20 }, (_, i) => `export const someName${i} = ${i};`).join('\n');
    const files = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`aaa/${i}.ts`, text]));
    await inTree({ ...files, 'zzz.ts': text }, async ({ workspace }) => {
      const result = await listed(workspace, '.');
      expect(result.files.at(-1)?.path).toBe('zzz.ts');
      expect(result.note).toMatch(
        /^… truncated, \d+ of 151 source files looked at; ask for a sub-directory or a file$/,
      );
      expect(Buffer.byteLength(JSON.stringify(result, null, 2))).toBeLessThan(31 * 1024);
    });
  });

  it('one huge generated file is cut at the limit of the runner, not left out', async () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `const n${i} = ${i};`).join('\n');
    await inTree({ 'gen.ts': text }, async ({ workspace }) => {
      expect((await listed(workspace, 'gen.ts')).files[0]?.definitions).toHaveLength(1_000);
    });
  });
});

describe('list_code_definition_names: what is refused', () => {
  it.each([
    ['note.md', 'not a kind of source file that is known: note.md'],
    ['constructor', 'not a kind of source file that is known: constructor'],
    ['big.ts', 'too large to be parsed: big.ts'],
    ['binary.ts', 'binary file: binary.ts'],
  ])('%s: %s', async (path, error) => {
    await inTree(
      {
        'note.md': '# x',
        constructor: 'x',
        'big.ts': ' '.repeat(1024 * 1024 + 1),
        'binary.ts': 'const a = 1;\0',
      },
      async ({ workspace }) => {
        expect(await list(workspace, path)).toEqual({ ok: false, error });
      },
    );
  });

  it.each([
    ['gone.ts', 'not found: gone.ts'],
    ['../x.ts', 'outside the workspace: ../x.ts'],
    ['link.ts', 'outside the workspace: link.ts'],
    ['a.ts/b.ts', 'not a directory: a.ts/b.ts'],
  ])('path %s: %s', async (path, message) => {
    await inTree({ 'a.ts': 'const a = 1' }, async ({ root, workspace }) => {
      await symlink('/etc/passwd', join(root, 'link.ts'));
      await expect(list(workspace, path)).rejects.toThrow(message);
    });
  });
});

describe('list_code_definition_names: cost', () => {
  const mega = TYPESCRIPT.repeat(Math.floor((512 * 1024) / TYPESCRIPT.length));
  const threads = async (): Promise<number> => (await readdir('/proc/self/task')).length;

  it('a file of 512 KiB does not hold up the process that streams answers', async () => {
    await inTree({ 'mega.ts': mega }, async ({ workspace }) => {
      const before = process.cpuUsage();
      let found: number | undefined;
      const stall = await longestStall(async () => {
        found = (await listed(workspace, 'mega.ts')).files[0]?.definitions.length;
      });
      const { user, system } = process.cpuUsage(before);
      expect(found).toBe(1_000);
      // Work on this thread would be one stall of nearly all the processor time.
      expect(stall).toBeLessThan((user + system) / 1_000 / 2);
    });
  });

  it('cancel ends the thread in the middle of its work; the time limit leaves what was found', async () => {
    await inTree({ 'a.ts': 'export const a = 1;', 'deep/mega.ts': mega }, async ({ workspace }) => {
      await listed(workspace, 'a.ts');
      const before = [await threads(), await openHandles()] as const;
      const cancel = new AbortController();
      const cancelled = list(workspace, 'deep/mega.ts', { signal: cancel.signal });
      const reason = cancelled.catch((error: unknown) => error);
      await eventually('its thread', async () => (await threads()) > before[0]);
      cancel.abort(new Error('cancelled'));
      expect(await reason).toMatchObject({ message: 'cancelled' });
      expect(await list(workspace, 'deep/mega.ts', { timeLimitMs: 1 })).toEqual({
        ok: false,
        error: 'could not be parsed in time: deep/mega.ts',
      });
      await eventually('the end of its threads', async () => (await threads()) <= before[0]);
      await eventually('the end of its handles', async () => (await openHandles()) <= before[1]);
    });
  });

  it('many calls at once run in turn and all of them answer', async () => {
    await inTree({ 'a.ts': 'export const a = 1;' }, async ({ workspace }) => {
      const tool = createListCodeDefinitionNamesTool(workspace);
      const { signal } = new AbortController();
      const before = await threads();
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () =>
          tool.execute({ path: 'a.ts' }, { turnId: 't', projectId: 'p', signal, fence: anyFence() }),
        ),
      );
      for (const outcome of outcomes) {
        expect(outcome).toEqual({
          ok: true,
          result: { path: 'a.ts', files: [{ path: 'a.ts', definitions: ['1: variable a'] }] },
        });
      }
      await eventually('the end of their threads', async () => (await threads()) <= before);
    });
  });
});
