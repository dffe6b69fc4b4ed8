import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_TOOL_TIMEOUT_MS, OUTCOME_UNKNOWN } from '../../contracts/tools/tool-call.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { classifyToolError } from './tool-errors.ts';

/** The time limits of a call, in milliseconds (docs/tools.md). */
export interface AttemptLimits {
  /** Time for all attempts of one call together, unless the tool has its own. */
  readonly timeoutMs: number;
  /** Pause before the second attempt. The pause before the third is twice as long. */
  readonly retryDelayMs: number;
  /** Time that an aborted tool may take to tidy up before it is left behind, unless the tool has its own. */
  readonly graceMs: number;
}

/** The time limits of tool calls that a worker in production uses. */
export const DEFAULT_ATTEMPT_LIMITS: AttemptLimits = {
  timeoutMs: DEFAULT_TOOL_TIMEOUT_MS,
  retryDelayMs: 200,
  graceMs: 1_000,
};

const MAX_ATTEMPTS = 3;

/** The outcome of a call, and the number of its attempts. */
export interface AttemptedOutcome {
  readonly outcome: ToolOutcome;
  readonly attempts: number;
}

/**
 * Executes a tool: a read or poll up to `MAX_ATTEMPTS` times while its failure is transient, a write once. The timeout
 * is for all attempts together. An aborted attempt may take `graceMs` more. Rejects only with the reason of the
 * caller's aborted signal, and not even then if the tool has succeeded.
 */
export const runAttempts = async (
  tool: Tool,
  input: unknown,
  context: ToolContext,
  limits: AttemptLimits,
): Promise<AttemptedOutcome> => {
  const timeoutMs = tool.timeoutMs ?? limits.timeoutMs;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await attemptWithGrace(
        tool,
        input,
        { ...context, signal },
        tool.graceMs ?? limits.graceMs,
      );
      if (outcome?.ok === true) return { outcome, attempts };
      context.signal.throwIfAborted();
      if (outcome === undefined || timeout.signal.aborted) {
        return { outcome: timeoutOutcome(tool, timeoutMs), attempts };
      }
      if (!mayRetry(tool, outcome, attempts)) return { outcome, attempts };
      await pause(limits.retryDelayMs * 2 ** (attempts - 1), signal);
    }
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Returns the tool's outcome, with a throw turned into a failure. Returns undefined when the tool has not settled
 * `graceMs` after the abort.
 */
const attemptWithGrace = async (
  tool: Tool,
  input: unknown,
  context: ToolContext,
  graceMs: number,
): Promise<ToolOutcome | undefined> => {
  const abandoned = afterAbort(context.signal, graceMs);
  try {
    return await Promise.race([attempt(tool, input, context), abandoned.promise]);
  } finally {
    abandoned.dispose();
  }
};

/**
 * Returns a promise that resolves `graceMs` after `signal` is aborted, and never once `dispose` was called. `dispose`
 * also removes the listener, of which the signal would otherwise collect one for each attempt of a call.
 */
const afterAbort = (
  signal: AbortSignal,
  graceMs: number,
): { readonly promise: Promise<undefined>; readonly dispose: () => void } => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  const startGrace = () => {
    timer = setTimeout(() => resolve(undefined), graceMs);
  };
  if (signal.aborted) startGrace();
  else signal.addEventListener('abort', startGrace, { once: true });
  const dispose = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', startGrace);
  };
  return { promise, dispose };
};

const attempt = async (tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> => {
  try {
    context.signal.throwIfAborted();
    return await tool.execute(input, context);
  } catch (error) {
    return classifyToolError(error);
  }
};

const mayRetry = (tool: Tool, outcome: ToolOutcome, attempts: number): boolean =>
  !outcome.ok &&
  outcome.isTransient === true &&
  tool.declaration.effect !== 'write' &&
  attempts < MAX_ATTEMPTS;

/** Waits, or ends early when the signal is aborted, which the next attempt notices. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/**
 * Returns the outcome of a call whose time is up. A write may have happened nevertheless, so the model must not simply
 * repeat it.
 */
const timeoutOutcome = ({ declaration }: Tool, timeoutMs: number): ToolOutcome => {
  const reason = `timed out after ${timeoutMs / 1000} s`;
  return declaration.effect === 'write'
    ? {
        ok: false,
        error: OUTCOME_UNKNOWN,
        details: `The call ${reason}; it may or may not have taken effect.`,
      }
    : { ok: false, error: reason, isTransient: true };
};
