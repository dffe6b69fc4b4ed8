import { describe, expect, it } from '@jest/globals';
import { createRandom, shuffle } from '../support/random.ts';
import { parseActions } from './server-actions.ts';
import { quantile, summarize } from './statistics.ts';

describe('the statistics of the benchmark', () => {
  it('name values that were measured: the 95th of 100, the 10th of 10', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(summarize(hundred)).toEqual({ n: 100, p50: 50, p95: 95, p99: 99 });
    expect(quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.95)).toBe(10);
    expect(summarize([7])).toEqual({ n: 1, p50: 7, p95: 7, p99: 7 });
  });

  it('sort numbers as numbers', () => {
    expect(summarize([100, 9, 20]).p50).toBe(20);
  });

  it('refuse an empty sample instead of printing NaN', () => {
    expect(() => summarize([])).toThrow('expected at least one value');
  });
});

describe('the order of the arms', () => {
  it('holds every arm once and follows from the seed', () => {
    const order = (seed: number) => {
      const random = createRandom(seed);
      return Array.from({ length: 20 }, () => shuffle(['a', 'b', 'c'], random));
    };
    expect(order(7)).toEqual(order(7));
    expect(order(7)).not.toEqual(order(8));
    for (const block of order(7)) expect(block.toSorted()).toEqual(['a', 'b', 'c']);
    expect(new Set(order(7).map(String)).size).toBeGreaterThan(3);
  });
});

describe('the count of billable actions', () => {
  it('is the one of the server, but only for the namespace that is measured', () => {
    const metrics = [
      '# TYPE action counter',
      'action{action_type="grpc_SignalWorkflowExecution",namespace="default",operation="X",service_name="frontend"} 9',
      'action{action_type="command_ScheduleActivityTask",namespace="default",operation="A",service_name="frontend"} 2',
      'action{action_type="command_ScheduleActivityTask",namespace="default",operation="B",service_name="history"} 1',
      'action{action_type="grpc_StartWorkflowExecution",namespace="temporal_system",service_name="frontend"} 2',
      'activity_end_to_end_latency_count{action_type="x",namespace="default"} 5',
    ].join('\n');
    expect(parseActions(metrics, 'default')).toEqual(
      new Map([
        ['grpc_SignalWorkflowExecution', 9],
        ['command_ScheduleActivityTask', 3],
      ]),
    );
  });
});
