/** Tests the client's side of write sessions, with a clock and a gateway that the test controls. */
import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { FinalizeResponse, WriteSessionStatus } from '../../../src/contracts/http/write-session-api.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../../../src/cli/http/gateway-failures.ts';
import type { KeptSession } from '../../../src/cli/write-session/kept-sessions.ts';
import { action, chunk, createSessionWorld, SESSION, stage, TARGET } from '../support/session-world.ts';

const IDLE = "If you're finished, reply DONE on its own line. Otherwise continue writing.";
const WROTE = `Wrote ${TARGET}: 1 line, 4 bytes, sha256 ab`;

const answer: FinalizeResponse = {
  intent: '',
  results: [
    {
      operation_index: 0,
      type: 'create',
      target_file: TARGET,
      status: 'success',
      bytes: 4,
      lines: 1,
      sha256: 'ab',
      error: null,
    },
  ],
};

const STATUS: WriteSessionStatus = {
  session_id: SESSION,
  stage: 'awaiting_content',
  target_file: TARGET,
  operation: 'create',
  created_at: '',
  last_activity: '',
  expires_at: '',
  draft_bytes: 0,
};

/** Creates a gateway that gives these answers in turn, then the last one for ever, and records its requests. */
const gatewayOf = (...answers: readonly (FinalizeResponse | Error)[]) => {
  const asked: string[] = [];
  const drafts = [0];
  const give = (what: string): Promise<FinalizeResponse> => {
    const given = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(what);
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given ?? answer);
  };
  return {
    asked,
    /** The sizes (bytes) of the stored draft, one for each request of the status; the last one stays. */
    drafts,
    calls: {
      readStatus: () =>
        Promise.resolve({ ...STATUS, draft_bytes: drafts.length > 1 ? drafts.shift()! : drafts[0]! }),
      finalizeDraft: (id: string) => give(`draft ${id}`),
      putContent: (id: string, content: unknown) => give(`content ${id} ${String(content)}`),
    },
  };
};

const refused = (
  status: number,
  code: string,
  error: string,
  details?: Record<string, string | number>,
): GatewayRefusedError => new GatewayRefusedError(status, { error, code, ...(details && { details }) });

describe('a session of a turn', () => {
  it('is finalized when its content is complete, and reported once although the turn reports it, too', async () => {
    const { asked, calls } = gatewayOf(answer);
    const finalized = Promise.withResolvers<void>();
    const finalizeDraft = async (id: string): Promise<FinalizeResponse> => {
      finalized.resolve();
      return calls.finalizeDraft(id);
    };
    const { feed, lines, controller, kept } = createSessionWorld({ ...calls, finalizeDraft });
    feed(
      chunk('I begin.'),
      stage('begun'),
      action(2),
      chunk('\n\nfile\nDO'),
      chunk('NE\n'),
      stage('content_complete'),
    );
    await finalized.promise;
    feed(stage('committed', { bytes: 4, lines: 1, sha256: 'ab' }));
    await controller.finishTurn();
    expect(lines).toEqual([WROTE]);
    expect(asked).toEqual([`draft ${SESSION}`]);
    expect(await kept.list()).toEqual([]);
  });

  it('is not finalized once the turn has reported its commit', async () => {
    const { asked, calls } = gatewayOf(answer);
    const { feed, lines, controller } = createSessionWorld(calls);
    feed(stage('begun'), action(2), chunk('file\nDONE\n'), stage('content_complete'));
    feed(stage('committed', { bytes: 4, lines: 1, sha256: 'ab' }));
    await controller.finishTurn();
    expect(lines).toEqual([WROTE]);
    expect(asked).toEqual([]);
  });

  it('keeps exactly the text of the file: no lead, no marker, no remark, no withdrawn text', async () => {
    const { feed, kept, nextSeq, timers, controller } = createSessionWorld(gatewayOf(answer).calls);
    feed(chunk('I begin.'), stage('begun'), action(2));
    const from = nextSeq();
    feed(chunk('\n\ndead'), { type: 'reset', fromSeq: from }, chunk('\n\nfile\n'));
    timers.pass(500);
    await controller.finishTurn();
    expect(readFileSync(kept.textPath(SESSION), 'utf8')).toBe('file\n');
  });

  it('is reported as written although its kept text cannot be removed', async () => {
    const { feed, lines, controller, kept } = createSessionWorld(gatewayOf(answer).calls);
    mkdirSync(kept.textPath(SESSION), { recursive: true });
    feed(stage('begun'), action(2), chunk('file\nDONE\n'), stage('content_complete'));
    feed(stage('committed', { bytes: 4, lines: 1, sha256: 'ab' }));
    await controller.finishTurn();
    expect(lines).toEqual([WROTE]);
  });

  it('is not finalized before its draft is the whole text', async () => {
    const { asked, drafts, calls } = gatewayOf(answer);
    drafts.splice(0, 1, 0, 2, 5);
    const { feed, lines, controller } = createSessionWorld(calls);
    feed(stage('begun'), action(2), chunk('file\nDONE\n'), stage('content_complete', { bytes: 5 }));
    await controller.finishTurn();
    expect(drafts).toEqual([5]);
    expect(asked).toEqual([`draft ${SESSION}`]);
    expect(lines).toEqual([WROTE]);
  });

  it('is never finalized with a part of its text, which stays in the kept file', async () => {
    const { asked, drafts, calls } = gatewayOf(answer);
    drafts.splice(0, 1, 2);
    const { feed, lines, controller, kept } = createSessionWorld(calls);
    feed(stage('begun'), action(2), chunk('file\nDONE\n'), stage('content_complete', { bytes: 5 }));
    await controller.finishTurn();
    expect(asked).toEqual([]);
    expect(lines[0]).toBe('The file was not written: only 2 of 5 bytes of its text are stored.');
    expect(readFileSync(kept.textPath(SESSION), 'utf8')).toBe('file\n');
  });

  it('is left to the turn that refuses its text before there is a draft', async () => {
    const { asked, calls } = gatewayOf(answer);
    const { feed, lines, controller } = createSessionWorld(calls);
    feed(stage('begun'), action(2), chunk(' \nDONE\n'), stage('content_complete', { bytes: 2 }));
    feed(stage('failed', { error: 'the content is blank' }));
    await controller.finishTurn();
    expect(asked).toEqual([]);
    expect(lines).toEqual([`Could not write ${TARGET}: the content is blank`]);
  });

  it('is over when the turn wrote it first and the gateway knows nothing else of it', async () => {
    const gone = refused(404, 'session_not_found', 'Session not found.', { stage: 'committed' });
    const { feed, lines, controller } = createSessionWorld(gatewayOf(gone).calls);
    feed(stage('begun'), action(2), chunk('file\nDONE\n'), stage('content_complete'));
    await controller.finishTurn();
    feed(stage('committed', { bytes: 4, lines: 1, sha256: 'ab' }));
    expect(lines).toEqual([WROTE]);
  });

  it('without an end marker is not saved by a guess', async () => {
    const { asked, calls } = gatewayOf(answer);
    const { feed, lines, controller, kept } = createSessionWorld(calls);
    feed(stage('begun'), action(2), chunk('half'), stage('open', { lines: 1 }));
    await controller.finishTurn();
    expect(asked).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('no DONE line');
    expect(controller.outcomes.get(SESSION)).toEqual({ kind: 'failed', exitCode: 1 });
    expect(await kept.list()).toMatchObject([{ sessionId: SESSION, complete: false }]);
  });
});

describe('the idle prompt', () => {
  const world = () => createSessionWorld(gatewayOf(answer).calls);

  it('never comes before the first word', () => {
    const { feed, timers, lines } = world();
    feed(chunk('I begin.'), stage('begun'), action(2));
    timers.pass(60_000);
    expect(lines).toEqual([]);
  });

  it('comes once per silence, and again in the next one', () => {
    const { feed, timers, lines } = world();
    feed(stage('begun'), action(2), chunk('one'));
    timers.pass(1_999);
    feed(chunk(' two'));
    timers.pass(1_999);
    expect(lines).toEqual([]);
    timers.pass(1);
    timers.pass(60_000);
    expect(lines).toEqual([IDLE]);
    feed(chunk(' three'));
    timers.pass(2_000);
    expect(lines).toEqual([IDLE, IDLE]);
  });

  it('does not ask after the end marker, nor for text that is no file', () => {
    const { feed, timers, lines } = world();
    feed(chunk('talk'));
    timers.pass(2_000);
    feed(stage('begun'), action(2), chunk('one\nDONE\n'));
    timers.pass(2_000);
    expect(lines).toEqual([]);
  });
});

describe('a finalize that fails', () => {
  const afterContent = async (...answers: readonly (FinalizeResponse | Error)[]) => {
    const gateway = gatewayOf(...answers);
    const world = createSessionWorld(gateway.calls);
    world.feed(stage('begun'), action(2), chunk('file\nDONE\n'), stage('content_complete'));
    await world.controller.finishTurn();
    return { ...world, asked: gateway.asked };
  };
  const retrying = (attempt: number): string =>
    `Failed to connect to backend. Check if server is running. Retrying... (attempt ${attempt}/2)`;

  it('is tried twice when no gateway answers, and the text is kept', async () => {
    const away = new GatewayUnreachableError('http://gateway', new Error('ECONNREFUSED'));
    const { lines, asked, kept, controller } = await afterContent(away);
    expect(asked).toHaveLength(2);
    expect(lines.slice(0, 2)).toEqual([retrying(1), retrying(2)]);
    expect(lines.filter((line) => line.includes('orion write recover'))).toHaveLength(1);
    expect(readFileSync(kept.textPath(SESSION), 'utf8')).toBe('file\n');
    expect(await kept.list()).toMatchObject([{ sessionId: SESSION, complete: true }]);
    expect(controller.outcomes.get(SESSION)).toEqual({ kind: 'failed', exitCode: 3 });
  });

  it('goes through at the second try, with one line for the first', async () => {
    const away = new GatewayUnreachableError('http://gateway', new Error('ECONNREFUSED'));
    expect((await afterContent(away, answer)).lines).toEqual([retrying(1), WROTE]);
  });

  it.each([
    [
      'Content validation failed: content is blank. Please fix and try again.',
      refused(400, 'validation_failed', 'Validation failed: content is blank'),
    ],
    [
      'Content too large (exceeds 10MB). Please split into smaller files.',
      refused(413, 'content_too_large', 'Content exceeds 10MB limit. Please reduce file size.'),
    ],
    [
      'Session timed out after 5 minutes of inactivity. Please start over.',
      refused(404, 'session_not_found', 'Session not found or expired.', { stage: 'expired' }),
    ],
    [
      'Session not found or expired.',
      refused(404, 'session_not_found', 'Session not found or expired.', { stage: 'cancelled' }),
    ],
    [
      'The file was not written: file exists: a.md',
      refused(500, 'write_failed', 'An internal error occurred. Please try again.', {
        reason: 'file exists: a.md',
      }),
    ],
  ])('%s is one line and no second try', async (line, error) => {
    const { lines, asked } = await afterContent(error);
    expect(lines).toEqual([line]);
    expect(asked).toHaveLength(1);
  });

  it('because its content is too large is followed by the limit that the gateway names', async () => {
    const text = 'Content exceeds 10MB limit. Please reduce file size.';
    const { lines } = await afterContent(refused(413, 'content_too_large', text, { limit: 20_000 }));
    expect(lines).toEqual([
      'Content too large (exceeds 10MB). Please split into smaller files.',
      'This gateway takes at most 20,000 bytes of content.',
    ]);
  });

  it('because of its content is reported to the model, whose next answer is the content', async () => {
    const invalid = refused(400, 'validation_failed', 'Validation failed: content is blank');
    const first = await afterContent(invalid);
    const session = first.controller.refusedOutcome?.session as KeptSession;
    expect(session).toMatchObject({ sessionId: SESSION, target: TARGET });
    const { asked, calls } = gatewayOf(answer);
    const second = createSessionWorld(calls, session);
    second.feed(action(0), chunk('better\nDO'), chunk('NE\n'));
    await second.controller.finishTurn();
    expect(asked).toEqual([`content ${SESSION} better\n`]);
    expect(second.lines).toEqual([WROTE]);
  });

  it('is not sent again when the mended answer has no end marker', async () => {
    const invalid = refused(400, 'validation_failed', 'Validation failed: content is blank');
    const session = (await afterContent(invalid)).controller.refusedOutcome?.session as KeptSession;
    const { asked, calls } = gatewayOf(answer);
    const second = createSessionWorld(calls, session);
    second.feed(action(0), chunk('I cannot.'));
    await second.controller.finishTurn();
    expect(asked).toEqual([]);
    expect(second.controller.outcomes.get(SESSION)).toEqual({ kind: 'failed', exitCode: 1 });
  });
});

it('a begin that failed is noticed under either name of its tool', () => {
  const { feed, refusedBegins } = createSessionWorld(gatewayOf(answer).calls);
  const result = { type: 'tool_result', ok: false, durationMs: 1, bytes: 0 } as const;
  feed(
    { ...result, callId: 'a', name: 'WritePlanTool.begin' },
    { ...result, callId: 'b', name: 'WritePlanTool_begin' },
  );
  feed({ ...result, callId: 'c', name: 'FileSystemTool_read_file' });
  expect(refusedBegins).toEqual(['a', 'b']);
});
