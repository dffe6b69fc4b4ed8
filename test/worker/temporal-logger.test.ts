import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { TASK_NOT_ENDED } from '../../src/contracts/payload/early-queries.ts';
import { SESSION_EXPIRED } from '../../src/contracts/write-session/write-session-texts.ts';
import { temporalLogger } from '../../worker/temporal-logger.ts';

it('the log names the request in each line of a turn, and leaves other lines as they are', () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const logger = temporalLogger(log);
  logger.info('turn ended', { workflowId: 'turn/r1', status: 'completed' });
  logger.warn('finalize ignored', { workflowId: 'write-session/s1' });
  logger.log('ERROR', 'worker failed');
  logger.error('activation failed', { error: new Error(TASK_NOT_ENDED) });
  logger.error('activation failed', { error: new Error('another') });
  expect(lines).toMatchObject([
    { level: 30, requestId: 'r1', workflowId: 'turn/r1', status: 'completed', msg: 'turn ended' },
    { level: 40, workflowId: 'write-session/s1' },
    { level: 50, msg: 'worker failed' },
    // The log level leaves out a query that came early.
    { level: 50, msg: 'activation failed', err: { message: 'another', stack: expect.any(String) } },
  ]);
  expect(lines.slice(1).some((line) => 'requestId' in line)).toBe(false);
});

it('an expired write session is reported with its reason, as information and not as a fault', () => {
  const lines: unknown[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const logger = temporalLogger(log);
  for (const message of [SESSION_EXPIRED, 'another']) {
    logger.warn('Workflow failed', { error: new Error(message) });
  }
  expect(lines).toMatchObject([
    { level: 30, msg: 'Workflow failed', err: { message: SESSION_EXPIRED } },
    { level: 40, msg: 'Workflow failed', err: { message: 'another' } },
  ]);
});
