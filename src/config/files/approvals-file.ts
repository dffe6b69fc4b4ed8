import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { issueLine } from '../../base/errors/zod-issue.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { approvalRuleSchema, type ApprovalRule } from '../../contracts/inputs/approvals.ts';
import { addProblems } from './file-problems.ts';

const VARIABLE = 'ORION_APPROVALS_FILE';
/** Maximum size of the file in bytes. The rules become a part of every turn's input. */
const MAX_BYTES = 16 * 1024;

/**
 * Reads the rules of approvals. Returns none without a path, and none if the file has problems, which are added to
 * `problems`.
 */
export const readApprovalRules = (path: string | undefined, problems: string[]): readonly ApprovalRule[] => {
  if (path === undefined) return [];
  const reportProblem = (reason: string): readonly ApprovalRule[] => {
    problems.push(`${VARIABLE}: expected a JSON list of rules, received ${path} (${reason})`);
    return [];
  };
  let value: unknown;
  try {
    const text = readFileSync(path, 'utf8');
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_BYTES) return reportProblem(`${bytes} bytes, more than ${MAX_BYTES}`);
    value = JSON.parse(text);
  } catch (error) {
    return reportProblem(errorMessage(error));
  }
  const parsed = z.array(approvalRuleSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = 'tool, arguments and mode';
  const found = parsed.error.issues.map((issue) => issueLine(issue, value, { fields }));
  addProblems(problems, { variable: VARIABLE, path }, found);
  return [];
};
