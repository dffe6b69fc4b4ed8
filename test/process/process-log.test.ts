import { expect, it } from '@jest/globals';
import { createProcessLog } from '../../src/process/process-log.ts';

const linesOf = (write: (log: ReturnType<typeof createProcessLog>) => void): Record<string, unknown>[] => {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  write(createProcessLog('worker', 'info', stream));
  return lines;
};

it('hides keys and cookies in the headers of whatever is logged', () => {
  const headers = { authorization: 'Bearer hush', cookie: 'id=hush', 'set-cookie': ['hush'], accept: 'seen' };
  const lines = linesOf((log) => {
    log.info({ headers }, 'alone');
    log.info({ req: { headers } }, 'request');
    log.warn({ err: Object.assign(new Error('failed'), { headers, response: { headers } }) }, 'failure');
  });
  expect(lines).toHaveLength(3);
  expect(JSON.stringify(lines)).not.toContain('hush');
  for (const line of lines) expect(JSON.stringify(line)).toContain('seen');
});

it('the log says which process speaks, at the level asked for', () => {
  const lines = linesOf((log) => {
    log.debug('no');
    log.info('yes');
  });
  expect(lines).toEqual([expect.objectContaining({ role: 'worker', msg: 'yes' })]);
});
