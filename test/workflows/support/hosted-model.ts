import type { ModelPort } from '../../../src/protocol/ports/model-port.ts';
import { callOptions, type ModelDeed } from '../../protocol/support/model-port-contract.ts';
import type { HostPorts } from './hosted-ports.ts';
import { answeredCall, tailOf } from './scripted-activities.ts';

/**
 * Starts a turn whose model call goes like this, and resolves to its port of the model. The activity puts the lead
 * before its text, as `callModel` does.
 */
export const openHostedModel = async (
  host: HostPorts,
  { text, calls = [], cut, fails }: ModelDeed,
): Promise<ModelPort> => {
  const texts = text === undefined ? [] : [callOptions().lead + text];
  const { model } = await host(() => ({
    callModel: async (input) => {
      if (fails) {
        return {
          outcome: { kind: 'failed', code: 'model_unavailable', message: 'refused' },
          tail: tailOf(input, texts),
        };
      }
      const result = answeredCall(input, { texts, calls });
      const { outcome } = result;
      return cut === undefined || outcome.kind !== 'ended'
        ? result
        : { ...result, outcome: { ...outcome, end: cut } };
    },
  }));
  return model;
};

/** Starts a turn whose first prompt leaves out the message with this index, and resolves to its port of the model. */
export const openHostedForgetful = async (host: HostPorts, at: number): Promise<ModelPort> => {
  const { model } = await host(() => ({
    callModel: async (input) => {
      const result = answeredCall(input, { texts: ['Hello.'] });
      const { outcome } = result;
      return outcome.kind === 'ended'
        ? { ...result, outcome: { ...outcome, leftOut: [{ step: 1, at }] } }
        : result;
    },
  }));
  return model;
};
