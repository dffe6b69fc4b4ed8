import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { createStepRepository, type StepAttempt } from '../../../src/db/turns/step-repository.ts';
import { createSentPromptRepository } from '../../../src/db/turns/sent-prompt-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const turns = () => createTurnRepository(database.db);
const user = (content: string): ModelMessage => ({ role: 'user', content });
const promptWith = (preface: string) => () =>
  Promise.resolve({
    anchorTurnId: `anchor of ${preface}`,
    summaryTurnId: null,
    preface,
    known: { files: [preface], instructions: null, skills: [] },
  });

const startTurn = (turnId: string) => turns().insert(turnInput(turnId), 'hash', userMessage);

const begin = (turnId: string, scheduledAt: number, fields: Partial<StepAttempt> = {}) =>
  createStepRepository(database.db).claim({
    turnId,
    step: 1,
    scheduledAt: new Date(scheduledAt),
    runId: 'run-1',
    messages: [user('question')],
    decidePrompt: promptWith('told: '),
    ...fields,
  });

describe('claims', () => {
  it('gives each attempt of a step the next epoch, and each step its own', async () => {
    await startTurn('epochs');
    expect(await begin('epochs', 1_000)).toMatchObject({ kind: 'claimed', epoch: 101 });
    expect(await begin('epochs', 2_000)).toMatchObject({ kind: 'claimed', epoch: 102 });
    expect(await begin('epochs', 1_500, { step: 2 })).toMatchObject({ kind: 'claimed', epoch: 201 });
  });

  it('stops an attempt that was scheduled before the one that holds the step', async () => {
    await startTurn('zombie');
    await begin('zombie', 2_000);
    expect(await begin('zombie', 1_999)).toEqual({ kind: 'superseded' });
    expect(await begin('zombie', 2_001)).toMatchObject({ epoch: 102 });
  });

  it('gives a repeated claim of the same attempt a fresh epoch: the first one may have been used', async () => {
    await startTurn('again');
    await begin('again', 1_000);
    expect(await begin('again', 1_000)).toMatchObject({ kind: 'claimed', epoch: 102 });
  });

  it('sets the run id once', async () => {
    await startTurn('run');
    await begin('run', 1_000);
    await begin('run', 2_000, { runId: 'run-2' });
    expect((await turns().find('run'))?.runId).toBe('run-1');
  });

  it('lets no other first run act, such as one after Temporal has lost its data', async () => {
    await startTurn('two-runs');
    await begin('two-runs', 1_000);
    expect(await begin('two-runs', 2_000, { runId: 'run-2' })).toEqual({ kind: 'ended' });
  });

  it('says ended when the turn has ended or is unknown', async () => {
    await startTurn('over');
    await turns().close(answered('over', '0-1'));
    expect(await begin('over', 1_000)).toEqual({ kind: 'ended' });
    expect(await begin('nobody', 1_000)).toEqual({ kind: 'ended' });
  });

  it('refuses the attempt after the 98th, which would reach the epoch of the workflow', async () => {
    await startTurn('worn-out');
    for (let n = 1; n <= 98; n += 1) await begin('worn-out', n);
    await expect(begin('worn-out', 99)).rejects.toThrow('98 times');
    expect((await begin('worn-out', 99, { step: 2 })).kind).toBe('claimed');
  });

  it('gives no epoch twice to attempts at once over two processes, and always one to the newest', async () => {
    await startTurn('rush');
    const other = createStepRepository(database.openAnother());
    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        i % 2
          ? begin('rush', i)
          : other.claim({
              turnId: 'rush',
              step: 1,
              scheduledAt: new Date(i),
              runId: 'run-1',
              messages: [user(`from ${i}`)],
              decidePrompt: promptWith('told: '),
            }),
      ),
    );
    const won = claims.flatMap((claim, i) => (claim.kind === 'claimed' ? [{ ...claim, i }] : []));
    expect(claims[39]?.kind).toBe('claimed');
    expect(new Set(won.map(({ epoch }) => epoch)).size).toBe(won.length);
    // The winners, in the order of their epochs, were scheduled one after the other.
    const order = won.toSorted((a, b) => a.epoch - b.epoch).map(({ i }) => i);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order.at(-1)).toBe(39);
    // All of them read the same prompt.
    expect(new Set(won.map(({ steps }) => JSON.stringify(steps))).size).toBe(1);
  });
});

describe('messages of a step', () => {
  it('step k reads 1 to k in order, each as its first attempt stored it', async () => {
    await startTurn('steps');
    await begin('steps', 1_000);
    await begin('steps', 2_000, { step: 2, messages: [user('second')] });
    await begin('steps', 3_000, { step: 2, messages: [user('changed')] });
    const claim = await begin('steps', 4_000, { step: 3, messages: [] });
    expect(claim).toMatchObject({
      anchorTurnId: 'anchor of told: ',
      steps: [
        { step: 1, messages: [user('told: question')] },
        { step: 2, messages: [user('second')] },
        { step: 3, messages: [] },
      ],
    });
  });

  it('keeps anchor and preface of the first attempt, whatever a later one finds', async () => {
    await startTurn('prompt');
    const first = await begin('prompt', 1_000);
    const again = await begin('prompt', 2_000, {
      decidePrompt: promptWith('newer: '),
      messages: [user('other')],
    });
    for (const claim of [first, again]) {
      expect(claim).toMatchObject({
        anchorTurnId: 'anchor of told: ',
        steps: [{ step: 1, messages: [user('told: question')] }],
      });
    }
  });

  it('keeps text byte by byte, also what Postgres text cannot hold', async () => {
    await startTurn('bytes');
    const messages = [user('nul \0, lone \udc00, "quotes" \\u0000, 😀')];
    expect(await begin('bytes', 1_000, { messages, decidePrompt: promptWith('') })).toMatchObject({
      steps: [{ step: 1, messages }],
    });
  });

  it('refuses a step whose predecessor was never stored, instead of calling the model without it', async () => {
    await startTurn('gap');
    await begin('gap', 1_000);
    await expect(begin('gap', 2_000, { step: 3 })).rejects.toThrow('contexts of steps 1 to 3');
  });
});

describe('withdrawn steps', () => {
  it('are left out of the prompt of a later step that names them, and the step is claimed', async () => {
    await startTurn('withdrawn');
    await begin('withdrawn', 1_000);
    await begin('withdrawn', 2_000, { step: 2, messages: [user('half a file')] });
    await begin('withdrawn', 3_000, { step: 3, messages: [user('the other half')] });
    const line = user('[wrote it]');
    const claim = await begin('withdrawn', 4_000, { step: 4, messages: [line], withdrawn: [2, 3] });
    expect(claim).toMatchObject({
      kind: 'claimed',
      steps: [
        { step: 1, messages: [user('told: question')] },
        { step: 4, messages: [line] },
      ],
    });
  });
});

describe('what a step is sent without', () => {
  const steps = () => createStepRepository(database.db);
  const leftOut = (...ats: number[]) => ({ turns: 1, results: ats.map((at) => ({ step: 1, at })) });

  it('is nothing at first, then the same for its later attempts and for the steps after it', async () => {
    await startTurn('left');
    expect(await begin('left', 1_000)).toMatchObject({ leftOut: null });
    expect(await steps().storeLeftOut({ turnId: 'left', step: 1, epoch: 101 }, leftOut(1))).toBe(true);
    expect(await begin('left', 2_000)).toMatchObject({ epoch: 102, leftOut: leftOut(1) });
    expect(await begin('left', 3_000, { step: 2 })).toMatchObject({ leftOut: leftOut(1) });
    expect(await steps().storeLeftOut({ turnId: 'left', step: 2, epoch: 201 }, leftOut(1, 2))).toBe(true);
    expect(await begin('left', 4_000, { step: 3 })).toMatchObject({ leftOut: leftOut(1, 2) });
  });

  it('is not stored by an attempt that was replaced, nor for a turn that has ended', async () => {
    await startTurn('late');
    await begin('late', 1_000);
    await begin('late', 2_000);
    expect(await steps().storeLeftOut({ turnId: 'late', step: 1, epoch: 101 }, leftOut(1))).toBe(false);
    expect(await begin('late', 3_000)).toMatchObject({ epoch: 103, leftOut: null });
    await turns().close(answered('late', 'x'));
    expect(await steps().storeLeftOut({ turnId: 'late', step: 1, epoch: 103 }, leftOut(1))).toBe(false);
  });
});

describe('what a call was sent', () => {
  const find = (turnId: string, step: number) => createSentPromptRepository(database.db).find(turnId, step);

  it('is found by its number when the turn has ended, as its last attempt was given it', async () => {
    await startTurn('sent');
    const results = [{ step: 1, at: 0 }];
    const claims = [
      await begin('sent', 1_000),
      await begin('sent', 2_000, { step: 2, messages: [user('half a file')] }),
      await begin('sent', 3_000, { step: 3, messages: [user('the other half')] }),
    ];
    const steps = createStepRepository(database.db);
    await steps.storeLeftOut({ turnId: 'sent', step: 3, epoch: 301 }, { turns: 1, results });
    claims[2] = await begin('sent', 3_500, { step: 3 });
    const withdrawn = { step: 4, messages: [user('[wrote it]')], withdrawn: [2, 3] };
    claims.push(await begin('sent', 4_000, withdrawn));
    await turns().close(answered('sent', '0-1'));
    const kept = await Promise.all([1, 2, 3, 4].map((step) => find('sent', step)));
    expect(kept).toEqual(
      claims.map((claim) => {
        const { kind: _kind, epoch: _epoch, ...sent } = claim as Extract<typeof claim, { kind: 'claimed' }>;
        return sent;
      }),
    );
    expect(kept.map((one) => one?.leftOut?.turns)).toEqual([undefined, undefined, 1, 1]);
    expect(await find('sent', 5)).toBeUndefined();
    expect(await find('nobody', 1)).toBeUndefined();
  });
});
