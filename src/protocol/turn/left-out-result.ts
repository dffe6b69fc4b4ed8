import type { ModelMessage } from '../../contracts/model/model-message.ts';
import { TOOL_RESULT_HEADING } from '../../contracts/tools/tool-name.ts';
import { utf8Bytes } from '../../contracts/values/at-most-bytes.ts';
import { CHANGED_ARGUMENTS, BOX_BORDER } from './tool-report.ts';

/**
 * Size in bytes from which a result may be left out. Most results of writes and failures are smaller, and take up
 * little of a prompt.
 */
const LEAST_BYTES = 1_024;

const BOX = new RegExp(`^${BOX_BORDER}\n(${TOOL_RESULT_HEADING}.*)\n${BOX_BORDER}\n`);
const CHANGED = new RegExp(`^${CHANGED_ARGUMENTS}(.*)\n\n`);

/**
 * Returns the message that replaces a tool's result in a prompt that it does not fit into: `[left out: 31 KiB]`, after
 * a line with the arguments if a person has changed them, and in a box with the tool's name if the result was in a box.
 * Returns undefined if the message is no result, or so short that it stays.
 */
export const leftOutResult = (message: ModelMessage): ModelMessage | undefined => {
  if (message.role !== 'tool' && message.role !== 'system') return undefined;
  const { content } = message;
  const [changed = '', changedTo = ''] = CHANGED.exec(content) ?? [];
  const [, tool] = BOX.exec(content.slice(changed.length)) ?? [];
  if (message.role === 'system' && tool === undefined) return undefined;
  const bytes = utf8Bytes(content);
  if (bytes < LEAST_BYTES) return undefined;
  const line = leftOutLine(bytes);
  const boxed =
    message.role === 'system' ? `${BOX_BORDER}\n${tool}\n${BOX_BORDER}\n${line}\n${BOX_BORDER}` : line;
  return { ...message, content: (changed === '' ? '' : changedLine(changedTo)) + boxed };
};

/**
 * Returns the line with the changed arguments, or with their size if they are long. If a result itself begins with such
 * a line, that line is treated alike.
 */
const changedLine = (changedTo: string): string => {
  const bytes = utf8Bytes(changedTo);
  return `${CHANGED_ARGUMENTS}${bytes < LEAST_BYTES ? changedTo : leftOutLine(bytes)}\n\n`;
};

const leftOutLine = (bytes: number): string => `[left out: ${Math.round(bytes / 1_024)} KiB]`;
