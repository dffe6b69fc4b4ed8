/*
 * Two things for which the SDK (1.24) has no public door; `test/workflows/visibility.test.ts` finds out when another
 * version moves them. Neither makes a command that the server would not take from another SDK.
 */
import { RawValue } from '@temporalio/common';
import { CancelledFailure } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

/**
 * Answers Temporal's stack-trace queries by `describe`, one line each. The SDK's own answer is made of the stacks of
 * promises, which are off (`workflows/preload.ts`), and would be the word "Error".
 */
export const answerStackTrace = (describe: () => readonly string[]): void => {
  const { queryHandlers, sdkVersion } = getActivator();
  queryHandlers.set('__stack_trace', {
    handler: () => new RawValue(describe().join('\n')),
    description: 'Where the workflow stands and what it waits for.',
  });
  queryHandlers.set('__enhanced_stack_trace', {
    handler: () => {
      const locations = describe().map((line) => ({ function_name: line, internal_code: false }));
      return new RawValue({
        sdk: { name: 'typescript', version: sdkVersion },
        stacks: [{ locations }],
        sources: {},
      });
    },
    description: 'The same, in the form of stack frames.',
  });
};

/**
 * Closes the workflow as Canceled, however the cancel came: by a signal, the live lane or Temporal's own Cancel. The
 * SDK does so only for the last. Throws; nothing may come after it.
 */
export const closeAsCanceled = (): never => {
  getActivator().cancelWorkflow({});
  throw new CancelledFailure('cancelled');
};
