import { turnOptionsSchema, type MessageBody } from '../../contracts/http/turn-api.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { ApiError } from '../errors/api-error.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import { chooseProtocol, type RequestedProtocol } from './choose-protocol.ts';
import { describeValue, parseRequest, validationError } from './validation.ts';

/** The protocols, cycles and models of this installation that a posted message may ask for. */
export interface OfferedTurnOptions {
  readonly offersTwoStage: boolean;
  /** Highest `metadata.maxPhaseCycles`. */
  readonly maxPhaseCyclesLimit: number;
  /** The values that `metadata.model` may have. A turn that names none gets the first. */
  readonly models: readonly [string, ...string[]];
}

/**
 * Returns the protocol of a turn. Throws ApiError: `two_stage_disabled` on the two-stage route when that protocol is
 * switched off, and `validation_failed` for a requested protocol that is not offered.
 */
export const requireProtocol = (requested: RequestedProtocol): ProtocolName => {
  const choice = chooseProtocol(requested);
  switch (choice.kind) {
    case 'chosen':
      return choice.protocol;
    case 'disabled':
      throw new ApiError('two_stage_disabled', 'The two-stage protocol is switched off (TWO_STAGE_ENABLED).');
    case 'invalid':
      throw validationError([
        {
          field: 'metadata.protocol',
          expected: choice.expected,
          received: describeValue(choice.received),
        },
      ]);
    default:
      return choice satisfies never;
  }
};

/**
 * Reads the options in `metadata` (docs/protocol.md "Choice of protocol" and "Budgets"). Each is granted or refused,
 * never altered. Throws ApiError.
 */
export const readTurnOptions = (
  { metadata }: MessageBody,
  { offersTwoStage, maxPhaseCyclesLimit, models }: OfferedTurnOptions,
  routeProtocol: ProtocolName | undefined,
): Pick<NewTurn, 'protocol' | 'maxPhaseCycles' | 'approvals' | 'inputs' | 'model' | 'writeSession'> => {
  const { protocol, maxPhaseCycles, approvals, inputs, model, writeSession } = parseRequest(
    turnOptionsSchema,
    metadata,
    'metadata',
    {
      prefix: 'metadata.',
    },
  );
  const optionError = (field: string, expected: string, value: unknown) =>
    validationError([{ field: `metadata.${field}`, expected, received: describeValue(value) }]);
  const chosenProtocol = requireProtocol({
    isTwoStageRoute: routeProtocol === 'two_stage',
    requested: protocol,
    offersTwoStage,
  });
  if (maxPhaseCycles !== undefined && maxPhaseCycles > maxPhaseCyclesLimit) {
    throw optionError('maxPhaseCycles', `an integer from 0 to ${maxPhaseCyclesLimit}`, maxPhaseCycles);
  }
  if (model !== undefined && !models.includes(model)) {
    throw optionError('model', `one of ${models.join(', ')}`, model);
  }
  return {
    protocol: chosenProtocol,
    ...(maxPhaseCycles !== undefined && { maxPhaseCycles }),
    ...(approvals !== undefined && { approvals }),
    ...(inputs !== undefined && { inputs }),
    ...(model !== undefined && { model }),
    ...(writeSession !== undefined && { writeSession }),
  };
};
