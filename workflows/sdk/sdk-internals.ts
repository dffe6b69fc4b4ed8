/*
 * Two things for which the SDK (1.24) has no public API, so that its internal module is imported: `setHandler` refuses
 * the reserved names of the stack-trace queries, and only Temporal's own Cancel closes a workflow as Canceled.
 * `test/workflows/visibility.test.ts` fails when another version moves what is used here. Neither makes a command that
 * the server would not take from another SDK.
 */
import { RawValue } from '@temporalio/common';
import { CancelledFailure } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

/**
 * Makes Temporal's stack-trace queries return what `describe` returns, one entry a line. The SDK's own answer consists
 * of the stacks of promises. These are switched off (`workflows/preload.ts`), so that answer would be the word "Error".
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
 * Closes the workflow as Canceled, whether the cancel came by a signal, by the live lane or as Temporal's own Cancel.
 * The SDK by itself does so only for the last of these. Throws CancelledFailure, after which the workflow must do
 * nothing more.
 */
export const closeAsCanceled = (): never => {
  getActivator().cancelWorkflow({});
  throw new CancelledFailure('cancelled');
};
