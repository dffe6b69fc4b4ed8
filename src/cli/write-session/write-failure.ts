import { fieldsOf } from '../../contracts/values/unchecked-value.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { detailOf, GatewayRefusedError, GatewayUnreachableError } from '../http/gateway-failures.ts';
import { IncompleteDraftError } from './finalize-draft.ts';

/** Why content was not written, and the exact words for the person (docs/write-sessions.md). */
export interface WriteFailure {
  /**
   * The kind of the failure.
   *
   * - `invalid`: other content may be accepted.
   * - `too_large`: the content exceeds the limit of the gateway.
   * - `ended`: the session is over.
   * - `away`: the gateway, Temporal or Postgres did not answer, or the draft is not whole yet. A repeat may succeed.
   * - `waits`: the turn asks a person first, and then writes.
   * - `refused`: the refusal has another reason.
   */
  readonly kind: 'invalid' | 'too_large' | 'ended' | 'away' | 'waits' | 'refused';
  readonly line: string;
  /** A second line: what prevents the session and what helps, or how much content the gateway takes. */
  readonly hint?: string | undefined;
  readonly exitCode: ExitCode;
  /**
   * The last stage of a session that has ended. Undefined if the gateway does not know it, or if the session is open.
   */
  readonly stage?: string | undefined;
}

/** Returns the failure of a `begin`, which was refused or found no gateway. Throws any other error. */
export const beginFailure = (error: unknown): WriteFailure => {
  if (error instanceof GatewayUnreachableError) return unreachableFailure(error);
  if (!(error instanceof GatewayRefusedError)) throw error;
  if (error.code !== 'session_conflict') {
    return { kind: 'refused', line: beginFailureLine(errorText(error)), exitCode: EXIT.failed };
  }
  const hint = detailOf(error, 'reason');
  return { kind: 'refused', line: beginFailureLine(error.message), hint, exitCode: EXIT.session };
};

/** Returns one line for a person, around the gateway's own words. */
export const beginFailureLine = (apiError: string): string => `Cannot start new session: ${apiError}`;

/**
 * Returns the failure of a finalize, with the exit code. Throws an error that neither comes from a gateway, nor means
 * that none answers or that the draft is not whole.
 */
export const finalizeFailure = (error: unknown): WriteFailure => {
  if (error instanceof IncompleteDraftError) {
    return { kind: 'away', line: error.message, exitCode: EXIT.unreachable };
  }
  if (error instanceof GatewayUnreachableError) return unreachableFailure(error);
  if (!(error instanceof GatewayRefusedError)) throw error;
  switch (error.code) {
    case 'validation_failed':
      return { kind: 'invalid', line: invalidLine(error), exitCode: EXIT.failed };
    case 'content_too_large':
    case 'payload_too_large':
      return { kind: 'too_large', line: TOO_LARGE, hint: limitLine(error), exitCode: EXIT.failed };
    case 'approval_required':
      return { kind: 'waits', line: errorText(error), exitCode: EXIT.session };
    case 'session_not_found':
      return endedFailure(error, detailOf(error, 'stage'));
    case 'session_conflict':
      return { kind: 'refused', line: errorText(error), exitCode: EXIT.session };
    case 'write_failed':
      return { kind: 'refused', line: unwrittenLine(error), exitCode: EXIT.failed };
    case 'temporal_unavailable':
    case 'database_unavailable':
      return { kind: 'away', line: errorText(error), exitCode: EXIT.unreachable };
    default:
      return { kind: 'refused', line: errorText(error), exitCode: EXIT.failed };
  }
};

/** Words that scripts look for. They stay the same, whatever the gateway's settings are. */
const TOO_LARGE = 'Content too large (exceeds 10MB). Please split into smaller files.';
const TIMED_OUT = 'Session timed out after 5 minutes of inactivity. Please start over.';

/** Returns the true limit, which `TOO_LARGE` does not name. Returns undefined if the gateway does not say it. */
const limitLine = (error: GatewayRefusedError): string | undefined => {
  const { limit } = fieldsOf(error.details);
  return typeof limit === 'number'
    ? `This gateway takes at most ${limit.toLocaleString('en-US')} bytes of content.`
    : undefined;
};

/** Returns the line about refused content: the API's own words, without their heading, which the line has itself. */
const invalidLine = (error: GatewayRefusedError): string => {
  const details = error.message.replace(/^Validation failed: /, '').replace(/\.$/, '');
  return `Content validation failed: ${details}. Please fix and try again.`;
};

/**
 * Returns the file system's reason if the gateway gave one. The API's text for this code says less, and cannot change
 * because clients know it word by word.
 */
const unwrittenLine = (error: GatewayRefusedError): string => {
  const reason = detailOf(error, 'reason');
  return reason === undefined ? error.message : `The file was not written: ${reason}`;
};

/**
 * Returns the failure of a session that has ended. It is reported as timed out, unless it was cancelled or committed,
 * or the gateway says another reason.
 */
const endedFailure = (error: GatewayRefusedError, stage: string | undefined): WriteFailure => {
  const line = stage === 'cancelled' || stage === 'committed' ? errorText(error) : TIMED_OUT;
  const otherReason = stage === undefined ? detailOf(error, 'reason') : undefined;
  return { kind: 'ended', line: otherReason ?? line, exitCode: EXIT.session, stage };
};

const unreachableFailure = (error: GatewayUnreachableError): WriteFailure => ({
  kind: 'away',
  line: error.message,
  exitCode: EXIT.unreachable,
});

/** Returns the text of an error with its reason, if the gateway gave one (file exists, no space …). */
const errorText = (error: GatewayRefusedError): string => {
  const reason = typeof error.details === 'string' ? error.details : detailOf(error, 'reason');
  return reason === undefined ? error.message : `${error.message} (${reason})`;
};
