import type {
  ApprovalMode,
  ApprovalPolicy,
  ApprovalRule,
  ApprovalSetting,
} from '../../contracts/inputs/approvals.ts';
import type { ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import { foldPath } from '../calls/call-signature.ts';
import { canonicalJson } from '../calls/canonical-json.ts';
import type { CheckedCall } from '../calls/checked-call.ts';
import { matchesGlob } from './glob.ts';

type JudgedCall = Pick<CheckedCall, 'declaration' | 'arguments'>;

/** The arguments that a rule's `path` means, whatever the tool calls them: `path` and all declared paths. */
const subjectFields = (field: string, { pathArguments }: ToolDeclaration): readonly string[] =>
  field === 'path' ? [...new Set([field, ...pathArguments])] : [field];

const valuesOf = (field: string, call: JudgedCall): readonly string[] =>
  subjectFields(field, call.declaration).flatMap((name) => {
    const value = Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined;
    if (value === undefined) return [];
    return [typeof value === 'string' ? value : canonicalJson(value)];
  });

/**
 * A segment `..` in a text, or in a text inside JSON. A pattern that matches what precedes it does not say where it
 * leads.
 */
const CLIMBS = /(?<![^/\\"])\.\.(?![^/\\"])/;

/**
 * Characters that end a command, begin another one, or run one inside it. A pattern would also allow the text after
 * them.
 */
const COMPOUND = /[\n\r;&|<>$`(){}]/;

/**
 * A rule allows commands only where it says which ones, and only one at a time: a rule about files and folders allows
 * no command, although a command has a folder that it runs in.
 */
const mayAllow = (wanted: Readonly<Record<string, string>>, call: JudgedCall): boolean => {
  if (call.declaration.runsCommand !== true) return true;
  const command = Object.hasOwn(wanted, 'command') ? call.arguments['command'] : undefined;
  return typeof command === 'string' && !COMPOUND.test(command);
};

/**
 * Tells if a rule is about a call. One matching path is enough to stop a call. To allow it, all of its paths must
 * match. MCP tools do not declare which arguments are paths, so each argument is judged as one: a rule also stops it by
 * the place that it leads to, and never allows it by its beginning.
 */
const matches = ({ tool, arguments: wanted = {}, mode }: ApprovalRule, call: JudgedCall): boolean =>
  matchesGlob(tool, call.declaration.name) &&
  (mode !== 'allow' || mayAllow(wanted, call)) &&
  Object.entries(wanted).every(([field, glob]) => {
    const values = valuesOf(field, call);
    if (values.length === 0) return false;
    return mode === 'allow'
      ? values.every((value) => !CLIMBS.test(value) && matchesGlob(glob, value))
      : values.some((value) => matchesGlob(glob, value) || matchesGlob(glob, foldPath(value)));
  });

const modeOf = (setting: ApprovalSetting, { effect }: ToolDeclaration): ApprovalMode => {
  switch (setting) {
    case 'never':
      return 'allow';
    case 'writes':
      return effect === 'write' ? 'ask' : 'allow';
    case 'all':
      return 'ask';
    default:
      return setting satisfies never;
  }
};

/**
 * Decides about a call under the policy of its turn. The first rule that matches decides, otherwise what the tool asks
 * for, otherwise the setting. A request can turn an `allow` into an `ask`, but never the other way round. Rules see the
 * registered name and the arguments as signatures normalise them.
 */
export const approvalModeOf = (
  { rules, setting, requested = 'never' }: ApprovalPolicy,
  call: JudgedCall,
): ApprovalMode => {
  const { declaration } = call;
  const unruled = declaration.needsApproval === undefined ? modeOf(setting, declaration) : 'ask';
  const configured = rules.find((rule) => matches(rule, call))?.mode ?? unruled;
  return configured === 'allow' ? modeOf(requested, declaration) : configured;
};
