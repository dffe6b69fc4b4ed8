import { Context, log } from '@temporalio/activity';
import { BEGIN_WRITE_SESSION } from '../../src/contracts/tools/built-in-tools.ts';
import type {
  InputSubject,
  CommitSubject,
  PrepareInputRequestResult,
} from '../../src/contracts/inputs/input-request.ts';
import { inputIdOf } from '../../src/contracts/inputs/input-id.ts';
import type {
  AnnounceInputRequestInput,
  AnnounceInputRequestResult,
  CheckInputRequestInput,
  CheckInputRequestResult,
  PrepareInputRequestInput,
} from '../../src/contracts/payload/input-activity-payloads.ts';
import type { ToolCall, ToolDeclaration } from '../../src/contracts/tools/tool-call.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { InputRepository } from '../../src/db/inputs/input-repository.ts';
import type { PreparedInputRow } from '../../src/db/inputs/input-row.ts';
import type { StartNotifications } from '../../src/notifications/start-notifications.ts';
import { withTurnTools } from '../../src/tools/turn-tools/turn-tools.ts';
import { previewCall, type CallPreview } from '../../src/tools/run/preview-call.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import { refusedResult } from '../../src/tools/run/tool-result.ts';
import type { CommitPreview } from '../../src/write-session-service/preview-commit.ts';
import type { WriteSessions } from '../../src/write-session-service/write-sessions.ts';
import { requireFirstRun } from '../attempt/first-run.ts';
import { loadTurnTools, type TurnToolDeps } from '../turn/load-turn-tools.ts';
import { openLatestLane, type LaneDeps } from '../turn/turn-lane.ts';
import { requestExcerpt, requestDisplay } from './request-display.ts';

/** The side effects of input requests, as the turn's workflow sees them (docs/inputs.md "A request, step by step"). */
export interface InputActivities {
  /**
   * Checks the call, if the request is about one, and stores the request. Nobody is asked yet. A call that fails the
   * checks is not stored. A repeat returns what was stored first.
   */
  prepareInput(input: PrepareInputRequestInput): Promise<PrepareInputRequestResult>;
  /**
   * Checks a call that a person wants to have run instead of the requested one, as `prepareInput` does. Also checks
   * whether the preview that the person was shown is still true.
   */
  checkInput(input: CheckInputRequestInput): Promise<CheckInputRequestResult>;
  /**
   * Opens the request, so that it appears in lists, unless its write session has ended or too many turns wait. In any
   * case shows readers its event, which the workflow has written before.
   */
  announceInput(input: AnnounceInputRequestInput): Promise<AnnounceInputRequestResult>;
}

export interface InputActivityDeps extends LaneDeps, TurnToolDeps {
  readonly registry: ToolRegistry;
  readonly inputs: InputRepository;
  /** Returns the change that the commit of a write session would make. */
  readonly previewCommit: (call: ToolCall, subject: CommitSubject) => Promise<CommitPreview>;
  readonly writeSessions: Pick<WriteSessions, 'hold'>;
  readonly startNotifications: StartNotifications;
}

/**
 * Creates the activities of input requests. They check calls by the previews of tools, and store requests in Postgres.
 */
export const createInputActivities = (deps: InputActivityDeps): InputActivities => ({
  prepareInput: async (input) => {
    requireFirstRun(input);
    const lane = openLatestLane(deps, input);
    try {
      return await prepare(deps, input);
    } finally {
      await lane.close();
    }
  },
  checkInput: createCheckInput(deps.registry),
  announceInput: async (input) => {
    requireFirstRun(input);
    const { turnId, n, message, default: reply, expiresAt, sessionId } = input;
    const hold = { inputId: inputIdOf(turnId, n), until: Date.parse(expiresAt) };
    const announcement = { message, default: reply, expiresAt: new Date(expiresAt) };
    try {
      // Held before anybody is asked, so that the session cannot expire before its commit is allowed.
      if (sessionId !== undefined && !(await deps.writeSessions.hold(sessionId, hold))) return 'gone';
      const opened = await withCancellableRetries(() => deps.inputs.open(turnId, n, announcement));
      log.info('a turn waits', { inputId: inputIdOf(turnId, n), opened });
      if (input.notifies) void deps.startNotifications(turnId);
      return opened;
    } finally {
      // Whoever sees the event may ask for the row at once, so the row is stored first.
      await openLatestLane(deps, input).close();
    }
  },
});

/** Creates the check of arguments that a person has changed. It only asks the tools for previews: nothing runs. */
export const createCheckInput =
  (registry: ToolRegistry): InputActivities['checkInput'] =>
  async (input) => {
    requireFirstRun(input);
    const preview = await previewCall(registry, input.call, input);
    if (!preview.ok) return { kind: 'failed', error: preview.error };
    // Checked last. If the file is written after this point, the hash reveals that when the call runs.
    const shown = await previewCall(registry, input.asked.call, input);
    if (!shown.ok || shown.argsHash !== input.asked.argsHash) return { kind: 'changed' };
    return { kind: 'passes', argsHash: preview.argsHash };
  };

const prepare = async (
  deps: InputActivityDeps,
  input: PrepareInputRequestInput,
): Promise<PrepareInputRequestResult> => {
  const { call } = input;
  if (!call) return store(deps, input, { request: { options: input.options }, argsHash: null, diff: null });
  if (input.session) return prepareCommit(deps, input, call, input.session);
  const registry = withTurnTools(deps.registry, await loadTurnTools(deps, input));
  const preview = await previewCall(registry, call, input);
  if (!preview.ok) return { kind: 'failed', result: refusedResult(call, preview, Date.now()) };
  // A call that asks for an answer needs no approval, so it has no hash that a reply would have to approve.
  const argsHash = preview.declaration.asks === undefined ? preview.argsHash : null;
  const { diff = null } = preview;
  return store(deps, input, { request: askedCall(input, call, preview), argsHash, diff });
};

const prepareCommit = async (
  deps: InputActivityDeps,
  input: PrepareInputRequestInput,
  call: ToolCall,
  session: CommitSubject,
): Promise<PrepareInputRequestResult> => {
  const preview = await deps.previewCommit(call, session);
  if (!preview.ok) return { kind: 'failed', result: refusedResult(call, preview, Date.now()) };
  const { target, argsHash, diff, before } = preview;
  const declaration = { name: BEGIN_WRITE_SESSION, effect: 'write' } as const;
  const commit = { sessionId: session.sessionId, before };
  return store(deps, input, {
    request: { ...askedCall(input, call, { declaration, target }), commit },
    argsHash,
    diff,
  });
};

const store = async (
  { inputs }: Pick<InputActivityDeps, 'inputs'>,
  { turnId, n, kind }: PrepareInputRequestInput,
  row: PreparedInputRow,
): Promise<PrepareInputRequestResult> => {
  const stored = await withCancellableRetries(() => inputs.prepare({ turnId, n, kind, ...row }));
  const { commit } = stored.request;
  const excerpt = requestExcerpt(stored);
  return {
    kind: 'ready',
    shown: requestDisplay(stored),
    ...(excerpt !== undefined && { excerpt }),
    ...(commit && { before: commit.before }),
  };
};

const withCancellableRetries = <T>(work: () => Promise<T>): Promise<T> =>
  withDatabaseRetries(work, Context.current().cancellationSignal);

type AskedTool = Pick<ToolDeclaration, 'name' | 'effect'>;

const askedCall = (
  { options }: PrepareInputRequestInput,
  call: ToolCall,
  { declaration, target }: Pick<CallPreview, 'target'> & { readonly declaration: AskedTool },
): InputSubject => ({
  tool: declaration.name,
  callId: call.id,
  arguments: call.function.arguments,
  effect: declaration.effect,
  options,
  ...(target !== undefined && { target }),
});
