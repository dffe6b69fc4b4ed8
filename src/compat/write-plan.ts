import { z } from 'zod';
import type { ApiErrorCode } from '../contracts/http/errors.ts';
import {
  beginResponseSchema,
  finalizeResponseSchema,
  writeSessionMessageSchema,
  writeSessionStatusSchema,
  type BeginResponse,
  type FinalizeResponse,
  type WriteSessionMessage,
  type WriteSessionStatus,
} from '../contracts/http/write-session-api.ts';
import { writeOperationSchema } from '../contracts/write-session/write-session.ts';
import { validationFailedText } from '../contracts/write-session/write-session-texts.ts';
import { createWriteSessionCall, WritePlanError, type WritePlanOptions } from './write-plan-api.ts';

const operationSchema = z.object({
  type: writeOperationSchema,
  target_file: z.string(),
  content: z.string(),
});
type Operation = z.infer<typeof operationSchema>;

const planSchema = z.object({ intent: z.string().optional(), operations: z.array(operationSchema).min(1) });
/** A plan: operations in the order in which they run. */
export type WritePlanInput = z.infer<typeof planSchema>;

const executeSchema = z.union(
  [
    z.object({ plan: planSchema }),
    z.object({ operation: writeOperationSchema, path: z.string(), content: z.string() }),
  ],
  'expected { plan: { operations } } or { operation, path, content }',
);
/** The parameter of `execute`: a plan of write operations, or one operation. */
export type ExecuteInput = z.infer<typeof executeSchema>;

/** The result of the operation at which a plan stopped. Later operations were not tried. */
export interface FailedOperation {
  readonly operation_index: number;
  readonly type: Operation['type'];
  readonly target_file: string;
  readonly status: 'error';
  readonly error: { readonly code: ApiErrorCode; readonly message: string };
}

/** The results of a plan, in the order of its operations. `intent` is that of the plan, or null if it has none. */
export interface PlanReport {
  readonly intent: string | null;
  readonly results: readonly (FinalizeResponse['results'][number] | FailedOperation)[];
}

/**
 * Writes files under method names from before there were write sessions (docs/write-sessions.md), for programs that
 * still call them. Every write is a write session of the gateway, with the same lock, workflow, jail and atomic commit.
 * Methods reject with WritePlanError for a refusal, unless they report it, and with what `CallWriteSession` rejects
 * with.
 */
export interface WritePlan {
  /** Begins a session, which locks its file until it is finalized or deleted, or expires. */
  begin(session: { intent?: string; target_file: string; operation: string }): Promise<BeginResponse>;
  /** Sends the whole content of a session, which is then written to its file. */
  finalizeViaAPI(sessionId: string, content: string): Promise<FinalizeResponse>;
  /** Returns the state of a session. */
  getStatus(sessionId: string): Promise<WriteSessionStatus>;
  /** Cancels a session that has not ended. Its file stays as it is. */
  deleteSession(sessionId: string): Promise<WriteSessionMessage>;
  /**
   * Runs a plan or one operation. If an operation of a plan is refused, the report says so. If the one operation is
   * refused, the method rejects.
   */
  execute(params: ExecuteInput): Promise<PlanReport>;
  /** Runs the operations in order, up to and including the first that is refused. The report has the refusal. */
  executeWritePlan(plan: WritePlanInput): Promise<PlanReport>;
}

/** Creates a client for write plans over the routes of a gateway. Sends nothing before the first call. */
export const createWritePlan = (options: WritePlanOptions): WritePlan => {
  const call = createWriteSessionCall(options);
  const { projectId = 'default' } = options;
  const sessions = {
    begin: (session) => call(beginResponseSchema, 'POST', 'begin', { ...session, projectId }),
    finalizeViaAPI: (session_id, content) =>
      call(finalizeResponseSchema, 'POST', 'finalize', { session_id, content }),
    getStatus: (id) => call(writeSessionStatusSchema, 'GET', `status/${encodeURIComponent(id)}`),
    deleteSession: (id) => call(writeSessionMessageSchema, 'DELETE', encodeURIComponent(id)),
  } satisfies Partial<WritePlan>;
  const writing: SessionCalls = {
    ...sessions,
    finalizeEmpty: (session_id) =>
      call(finalizeResponseSchema, 'POST', 'finalize', { session_id, empty: true }),
  };
  return {
    ...sessions,
    execute: async (params) => execute(writing, parse(executeSchema, params)),
    executeWritePlan: async (plan) => executePlan(writing, parse(planSchema, plan)),
  };
};

const parse = <T>(schema: z.ZodType<T>, input: unknown): T => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'parameters' : path.join('.')}: ${message}`,
  );
  throw new WritePlanError('validation_failed', validationFailedText(problems.join('; ')));
};

interface SessionCalls extends Pick<WritePlan, 'begin' | 'finalizeViaAPI' | 'deleteSession'> {
  finalizeEmpty(sessionId: string): Promise<FinalizeResponse>;
}

const execute = async (sessions: SessionCalls, params: ExecuteInput): Promise<PlanReport> => {
  if ('plan' in params) return executePlan(sessions, params.plan);
  const { operation: type, path: target_file, content } = params;
  const report = await executePlan(sessions, { operations: [{ type, target_file, content }] });
  for (const { error } of report.results) if (error) throw new WritePlanError(error.code, error.message);
  return report;
};

const executePlan = async (sessions: SessionCalls, plan: WritePlanInput): Promise<PlanReport> => {
  const results: PlanReport['results'][number][] = [];
  for (const [index, operation] of plan.operations.entries()) {
    const result = await write(sessions, operation, index, plan.intent);
    results.push(result);
    if (result.status === 'error') break;
  }
  return { intent: plan.intent ?? null, results };
};

const write = async (
  sessions: SessionCalls,
  { type, target_file, content }: Operation,
  operation_index: number,
  intent: string | undefined,
): Promise<PlanReport['results'][number]> => {
  const operation = { operation_index, type, target_file };
  try {
    const begun = await sessions.begin({
      target_file,
      operation: type,
      ...(intent !== undefined && { intent }),
    });
    const [written] = (await finalizeOrEnd(sessions, begun.session_id, { type, content })).results;
    if (!written) throw new WritePlanError('internal_error', 'The API answered without a result.');
    return { ...written, operation_index };
  } catch (error) {
    if (!(error instanceof WritePlanError)) throw error;
    const message = `Operation ${operation_index} (${type} ${target_file}): ${error.message}`;
    return { ...operation, status: 'error', error: { code: error.code, message } };
  }
};

/**
 * Sends the content of a session. If that fails, the session is deleted, because an open session locks its file until
 * it expires.
 */
const finalizeOrEnd = async (
  sessions: SessionCalls,
  sessionId: string,
  { type, content }: Pick<Operation, 'type' | 'content'>,
): Promise<FinalizeResponse> => {
  try {
    // The API refuses `append` without content, as a mistake. With the other operations, an empty file is what was
    // asked for.
    if (content === '' && type !== 'append') return await sessions.finalizeEmpty(sessionId);
    return await sessions.finalizeViaAPI(sessionId, content);
  } catch (error) {
    // A failure to delete the session is ignored: the failure before it is the one to report.
    await sessions.deleteSession(sessionId).catch(() => undefined);
    throw error;
  }
};
