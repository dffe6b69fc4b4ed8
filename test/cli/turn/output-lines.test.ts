import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OutputLines } from '../../../src/cli/turn/output-lines.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `line ${i + 1}`);
const out = (content: string) => ({ stream: 'stdout', content }) as const;

describe('the output of a command', () => {
  it('is printed whole where it is short, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z ]{1,20}$/), { maxLength: 20 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
        (lines, sizes) => {
          const output = new OutputLines();
          const printed: string[] = [];
          let rest = lines.map((line) => `${line}\n`).join('');
          while (rest !== '') {
            const [size = 1] = sizes.take(1);
            printed.push(...output.push(out(rest.slice(0, size))));
            rest = rest.slice(size);
          }
          expect([...printed, ...output.end()]).toEqual(lines);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('shows its beginning and its end, and how much lies between', () => {
    const output = new OutputLines();
    expect(output.push(out(`${numbered(100).join('\n')}\nhalf`))).toEqual(numbered(12));
    expect(output.newest).toBe('line 100');
    expect(output.end()).toEqual(['… 81 lines left out', ...numbered(100).slice(93), 'half']);
  });

  it('keeps the streams apart, and no line longer than can be read', () => {
    const output = new OutputLines();
    expect(output.push(out('a'))).toEqual([]);
    expect(output.push({ stream: 'stderr', content: 'warning\n' })).toEqual(['warning']);
    expect(output.push(out('b\n'))).toEqual(['ab']);
    for (let i = 0; i < 100; i += 1) output.push(out('x'.repeat(64 * 1024)));
    expect(output.end()).toEqual([`${'x'.repeat(300)}…`]);
  });
});
