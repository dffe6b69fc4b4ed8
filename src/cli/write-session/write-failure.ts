import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { detailOf, GatewayRefusal, GatewayUnreachable } from '../http/gateway-failures.ts';

/** Why content was not written, and the exact words for the person (docs/write-sessions.md). */
export interface WriteFailure {
  /**
   * The kind of the failure.
   *
   * - `invalid`: other content may pass.
   * - `ended`: the session is over.
   * - `away`: no answer came, and a repeat may pass.
   * - `waits`: the turn asks a person first, and then writes.
   * - `refused`: the refusal has another reason.
   */
  readonly kind: 'invalid' | 'too_large' | 'ended' | 'away' | 'waits' | 'refused';
  readonly line: string;
  /** A second line, which says what is in the way and what helps. */
  readonly hint?: string | undefined;
  readonly exitCode: ExitCode;
  /** The end of a session, where the gateway knows it. */
  readonly stage?: string | undefined;
}

/** Returns the message for a failed `begin`: refused, or the gateway is away. Throws any other error. */
export const beginFailure = (error: unknown): WriteFailure => {
  if (error instanceof GatewayUnreachable) return unreachableFailure(error);
  if (!(error instanceof GatewayRefusal)) throw error;
  if (error.code !== 'session_conflict') {
    return { kind: 'refused', line: beginFailureLine(errorText(error)), exitCode: EXIT.failed };
  }
  const hint = detailOf(error, 'reason');
  return { kind: 'refused', line: beginFailureLine(error.message), hint, exitCode: EXIT.session };
};

/** Returns one line for a person, around the gateway's own words. */
export const beginFailureLine = (apiError: string): string => `Cannot start new session: ${apiError}`;

/**
 * Returns the message for a finalize that failed, and the exit code. Throws an error that is no answer of a gateway.
 */
export const finalizeFailure = (error: unknown): WriteFailure => {
  if (error instanceof GatewayUnreachable) return unreachableFailure(error);
  if (!(error instanceof GatewayRefusal)) throw error;
  switch (error.code) {
    case 'validation_failed':
      return { kind: 'invalid', line: invalidLine(error), exitCode: EXIT.failed };
    case 'content_too_large':
    case 'payload_too_large':
      return { kind: 'too_large', line: TOO_LARGE, exitCode: EXIT.failed };
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

/** Words that scripts look for: they stay, whatever the gateway's settings are. */
const TOO_LARGE = 'Content too large (exceeds 10MB). Please split into smaller files.';
const TIMED_OUT = 'Session timed out after 5 minutes of inactivity. Please start over.';

/** The API's own words for refused content, without the heading, which the line has itself. */
const invalidLine = (error: GatewayRefusal): string => {
  const details = error.message.replace(/^Validation failed: /, '').replace(/\.$/, '');
  return `Content validation failed: ${details}. Please fix and try again.`;
};

/** The file system's reason; the API's text for this code, which clients know word by word, says less. */
const unwrittenLine = (error: GatewayRefusal): string => {
  const reason = detailOf(error, 'reason');
  return reason === undefined ? error.message : `The file was not written: ${reason}`;
};

/** A session that was cancelled, that was committed with other content or that never existed did not time out. */
const endedFailure = (error: GatewayRefusal, stage: string | undefined): WriteFailure => {
  const line = stage === 'cancelled' || stage === 'committed' ? errorText(error) : TIMED_OUT;
  const unknown = stage === undefined ? detailOf(error, 'reason') : undefined;
  return { kind: 'ended', line: unknown ?? line, exitCode: EXIT.session, stage };
};

const unreachableFailure = (error: GatewayUnreachable): WriteFailure => ({
  kind: 'away',
  line: error.message,
  exitCode: EXIT.unreachable,
});

/** The error with its reason, where the gateway gave one (file exists, no space …). */
const errorText = (error: GatewayRefusal): string => {
  const reason = typeof error.details === 'string' ? error.details : detailOf(error, 'reason');
  return reason === undefined ? error.message : `${error.message} (${reason})`;
};
