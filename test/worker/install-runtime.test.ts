/**
 * Checks that what Temporal's native part logs becomes lines of the worker's log, with no text of another form between
 * them.
 */
import { expect, it, jest } from '@jest/globals';
import { noopMetricMeter } from '@temporalio/common';
import { Runtime, type RuntimeOptions } from '@temporalio/worker';
import { compileOptions } from '@temporalio/worker/lib/runtime-options.js';
import { pino } from 'pino';
import { installRuntime } from '../../worker/install-runtime.ts';
import { untyped } from '../support/untyped.ts';
import { partOf } from '../support/part-of.ts';

const entry = JSON.stringify({
  target: 'temporalio_sdk_core::worker::workflow',
  message: 'Query not found',
  timestamp: '1',
  level: 'WARN',
  fields: { run_id: 'r' },
  spanContexts: [],
});

it.each([
  [9_464, 'ORION_METRICS_PORT: cannot serve metrics on 127.0.0.1:9464 (no room)'],
  [undefined, 'cannot start the Temporal runtime of this worker (no room)'],
])('metrics port %s: a runtime that cannot be installed is reported as “%s”', (port, message) => {
  const install = jest.spyOn(Runtime, 'install').mockImplementation(() => {
    throw new Error('no room');
  });
  try {
    expect(() => installRuntime(pino({ level: 'silent' }), { host: '127.0.0.1', port })).toThrow(message);
  } finally {
    install.mockRestore();
  }
});

it.each([undefined, 9_464])('metrics port %s: native lines come as JSON', (port) => {
  let options: RuntimeOptions = {};
  const install = jest.spyOn(Runtime, 'install').mockImplementation((given) => {
    options = given;
    return partOf<Runtime>({ metricMeter: noopMetricMeter });
  });
  const lines: unknown[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  try {
    installRuntime(log, { host: '127.0.0.1', port });
  } finally {
    install.mockRestore();
  }

  const { logExporter } = compileOptions(options).runtimeOptions;
  if (logExporter.type !== 'forward') throw new Error(`expected forward, received ${logExporter.type}`);
  logExporter.receiver(untyped([entry]));
  expect(lines).toEqual([
    expect.objectContaining({ level: 40, msg: 'Query not found', sdkComponent: 'core', run_id: 'r' }),
  ]);
});
