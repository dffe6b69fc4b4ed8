import { BEGIN_WRITE_SESSION } from '../../contracts/built-in-tools.ts';
import type { ToolResult } from '../../contracts/tool-call.ts';
import type { BegunSession } from '../turn/ports.ts';
import type { AskedCall } from './asked-call.ts';

const textField = (value: unknown, key: string): string | undefined => {
  const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof field === 'string' && field !== '' ? field : undefined;
};

/** The session that an execution has begun; undefined for any other call, and for a begin that failed. */
export const begunSession = ({ declaration }: AskedCall, result: ToolResult): BegunSession | undefined => {
  if (declaration.name !== BEGIN_WRITE_SESSION || !result.success) return undefined;
  const sessionId = textField(result.result, 'session_id');
  const target = textField(result.result, 'target_file') ?? '';
  return sessionId === undefined ? undefined : { sessionId, target };
};
