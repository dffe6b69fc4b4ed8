/** Covers which protocol runs a turn (docs/protocol.md "Choice of protocol"). */
import { describe, expect, it } from '@jest/globals';
import { chooseProtocol } from '../../../src/gateway/requests/choose-protocol.ts';

describe('chooseProtocol', () => {
  it.each([
    [true, undefined, true, 'two_stage'],
    [true, 'standard', true, 'two_stage'],
    [true, undefined, false, 'disabled'],
    [false, 'standard', true, 'standard'],
    [false, 'two_stage', true, 'two_stage'],
    [false, 'two_stage', false, 'invalid'],
    [false, 'three_stage', true, 'invalid'],
    [false, 7, true, 'invalid'],
    [false, undefined, true, 'two_stage'],
    [false, undefined, false, 'standard'],
    [false, null, false, 'standard'],
  ])('route %j, wish %j, on %j → %s', (isTwoStageRoute, requested, offersTwoStage, expected) => {
    const choice = chooseProtocol({ isTwoStageRoute, requested, offersTwoStage });
    expect(choice.kind === 'chosen' ? choice.protocol : choice.kind).toBe(expected);
  });

  it('says what it expected and received', () => {
    expect(chooseProtocol({ isTwoStageRoute: false, requested: 'two_stage', offersTwoStage: false })).toEqual(
      {
        kind: 'invalid',
        expected: '"standard" (two-stage is off)',
        received: 'two_stage',
      },
    );
  });
});
