/** The rules that docs/inputs.md shows do what the page says of them, whatever tool is called. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { approvalRuleSchema } from '../../src/contracts/inputs/approvals.ts';
import { describeBuiltInTool } from '../../src/contracts/tools/built-in-tools.ts';
import { checkCall } from '../../src/protocol/calls/checked-call.ts';
import { approvalModeOf } from '../../src/protocol/inputs/approval-policy.ts';
import { toolCall } from '../support/fake-ports.ts';

const page = readFileSync(new URL('../../docs/inputs.md', import.meta.url), 'utf8');
const [, text = ''] = /```json\n(\[[^`]*\])\n```/.exec(page) ?? [];
const rules = z.array(approvalRuleSchema).parse(JSON.parse(text));

it.each([
  ['FileSystemTool_write_to_file', { path: 'infra/main.tf' }, 'deny'],
  ['FileSystemTool_read_file', { path: './infra/main.tf' }, 'deny'],
  ['WritePlanTool_begin', { target_file: 'infra/main.tf' }, 'deny'],
  ['WritePlanTool_begin', { target_file: 'docs/../infra/main.tf' }, 'deny'],
  ['mcp__fs__write', { path: 'infra/main.tf' }, 'deny'],
  ['FileSystemTool_write_to_file', { path: 'docs/a.md' }, 'allow'],
  ['WritePlanTool_begin', { target_file: 'docs/a.md' }, 'ask'],
  ['mcp__mail__send', {}, 'ask'],
])('%s %j: %s', (name, args, mode) => {
  const checked = checkCall(toolCall(name, args), { describe: describeBuiltInTool, projectId: 'p' });
  if (!checked) throw new Error('expected a complete call');
  expect(approvalModeOf({ rules, setting: 'all' }, checked)).toBe(mode);
});
