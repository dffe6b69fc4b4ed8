/** Public methods say what they do, where a reader of the class or of its interface looks (CONTRIBUTING.md). */
import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';

/** Matches an exported class: its name, what stands between the name and the brace, and its body. */
const EXPORTED_CLASS = /^export (?:abstract )?class (\w+)([^{]*)\{\n([^]*?)^\}$/gm;
/** Matches an interface: its name and its body. */
const INTERFACE = /^(?:export )?interface (\w+)[^{]*\{\n([^]*?)^\}$/gm;
/** Matches the name of a member of an interface. */
const MEMBER = /^ {2}(?:readonly )?(\w+)\??[(:<]/gm;
/** Matches the first line of a public method or accessor, or of a function in a field, and its name. */
const METHOD =
  /^ {2}(?:(?:static|async|get|set) )*\*?(?!constructor\b)(\w+)(?:<.*>)?\((?!.*;$)|^ {2}readonly (\w+) = (?:async )?\(/;

const MEMBERS = new Map(
  PRODUCT_FILES.flatMap((file) =>
    Array.from(sourceOf(file).matchAll(INTERFACE), ([, name = '', body = '']) => [
      name,
      Array.from(body.matchAll(MEMBER), ([, member = '']) => member),
    ]),
  ),
);

/** Returns the methods of a source that neither have a comment nor belong to an interface of their class. */
const silentMethodsIn = (source: string): readonly string[] =>
  Array.from(source.matchAll(EXPORTED_CLASS)).flatMap(([, name, head = '', body = '']) => {
    const [, interfaces = ''] = head.split('implements ');
    const described = new Set((interfaces.match(/\w+/g) ?? []).flatMap((one) => MEMBERS.get(one) ?? []));
    const lines = body.split('\n');
    return lines.flatMap((line, index) => {
      const [, method, field] = METHOD.exec(line) ?? [];
      const member = method ?? field;
      const isDescribed =
        member === undefined || described.has(member) || lines[index - 1]?.endsWith('*/') === true;
      return isDescribed ? [] : [`${name}.${member}`];
    });
  });

it('every public method of an exported class says what it does, or its interface does', () => {
  expect(MEMBERS.size).toBeGreaterThan(500);
  const silent = PRODUCT_FILES.flatMap((file) =>
    silentMethodsIn(sourceOf(file)).map((method) => `${file}: ${method}`),
  );
  expect(silent).toEqual([]);
});

it('finds methods without a comment, and no others', () => {
  const source = [
    'export class Hub implements LanePublisher {',
    '  constructor(size: number) {',
    '  }',
    '',
    '  publish(batch: EventBatch): void {',
    '  }',
    '',
    '  /** Says what it does. */',
    '  open(): void {',
    '  }',
    '',
    '  get size(): number {',
    '  }',
    '',
    '  async *read(',
    '    from: number,',
    '  ): void {',
    '  }',
    '',
    '  #secret(): void {',
    '  }',
    '}',
    '',
  ].join('\n');
  expect(silentMethodsIn(source)).toEqual(['Hub.size', 'Hub.read']);
});
