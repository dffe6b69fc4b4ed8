import { expect, it } from '@jest/globals';
import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { isWorkflowGone } from '../../src/temporal/workflow-gone.ts';

/** Returns what the client makes of an answer of Temporal that it does not know. */
const grpc = (code: number): Error =>
  new ServiceError('failed', {
    cause: Object.assign(new Error('failed'), { code, details: '', metadata: {} }),
  });

it('a workflow that is not there, has ended or is closing is gone', () => {
  expect(isWorkflowGone(new WorkflowNotFoundError('none', 'w', undefined))).toBe(true);
  expect(isWorkflowGone(new WorkflowUpdateFailedError('ended', new Error('ended')))).toBe(true);
  expect(isWorkflowGone(grpc(10))).toBe(true);
});

it('a server that is away says nothing about the workflow', () => {
  for (const error of [grpc(14), grpc(4), new Error('ABORTED'), undefined]) {
    expect(isWorkflowGone(error)).toBe(false);
  }
});
