import { defineUpdate } from '@temporalio/workflow';

/** One call of a method of a port that a workflow hosts. */
export interface PortCall {
  readonly port: 'model' | 'tools' | 'inputs' | 'writeSessions';
  readonly method: string;
  readonly args: readonly unknown[];
}

/** An error as data. */
export interface PortableError {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
}

/** What came of the call. Errors travel as data, because an update that throws may fail its workflow task. */
export type PortOutcome =
  | { readonly kind: 'returned'; readonly value?: unknown }
  | { readonly kind: 'threw'; readonly error: PortableError };

/** Calls a port and resolves to what came of it. */
export const callPortUpdate = defineUpdate<PortOutcome, [PortCall]>('callPort');
