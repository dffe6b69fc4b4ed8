import type { ToolCall } from '../../contracts/tool-call.ts';

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * A call as an adapter handed it over, brought into the form of the contract. What has no such form stays
 * recognisable as malformed: a blank name, or arguments that are no JSON.
 */
export const receivedCall = (raw: unknown, position: number): ToolCall => {
  const asked = field(raw, 'function');
  const args = field(asked, 'arguments') ?? '';
  return {
    id: textOf(field(raw, 'id')) || `call_${position}`,
    type: 'function',
    function: {
      name: textOf(field(asked, 'name')),
      arguments: typeof args === 'string' ? args : `not text: ${typeof args}`,
    },
  };
};
