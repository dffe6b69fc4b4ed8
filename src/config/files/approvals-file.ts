import { z } from 'zod';
import { fileProblems } from '../../base/errors/file-problems.ts';
import { issueLine } from '../../base/errors/zod-issue.ts';
import { approvalRuleSchema, type ApprovalRule } from '../../contracts/inputs/approvals.ts';
import { readJsonFile } from './json-file.ts';
import { KIB } from '../../contracts/values/units.ts';

const VARIABLE = 'ORION_APPROVALS_FILE';
/** Maximum size of the file in bytes. The rules become a part of every turn's input. */
const MAX_BYTES = 16 * KIB;

/**
 * Reads the rules of approvals. Returns none without a path, and none if the file has problems, which are added to
 * `problems`.
 */
export const readApprovalRules = (path: string | undefined, problems: string[]): readonly ApprovalRule[] => {
  if (path === undefined) return [];
  const file = { variable: VARIABLE, path, expected: 'a JSON list of rules', maxBytes: MAX_BYTES };
  const value = readJsonFile(file, problems);
  if (value === undefined) return [];
  const parsed = z.array(approvalRuleSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = 'tool, arguments and mode';
  const problemLines = parsed.error.issues.map((issue) => issueLine(issue, value, { fields }));
  problems.push(...fileProblems(file, problemLines));
  return [];
};
