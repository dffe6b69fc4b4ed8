/** Covers the registry of protocols: which names it knows. */
import { expect, it } from '@jest/globals';
import { createProtocol } from '../../../src/protocol/protocols/protocol-registry.ts';
import { fakeTurn } from '../../support/fake-ports.ts';

it('knows both protocols and refuses other names', () => {
  const { context } = fakeTurn();
  expect(createProtocol('two_stage', context).getName()).toBe('two-stage');
  expect(createProtocol('standard', context).getName()).toBe('standard');
  expect(() => createProtocol('toString' as 'standard', context)).toThrow(/two_stage or standard.*toString/);
});
