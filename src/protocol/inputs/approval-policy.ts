import type {
  ApprovalMode,
  ApprovalPolicy,
  ApprovalRule,
  ApprovalSetting,
} from '../../contracts/inputs/approvals.ts';
import type { ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import { foldPath } from '../calls/call-signature.ts';
import { canonicalJson } from '../../contracts/values/canonical-json.ts';
import type { CheckedCall } from '../calls/checked-call.ts';
import { matchesGlob } from './glob.ts';

type JudgedCall = Pick<CheckedCall, 'declaration' | 'arguments'>;

/**
 * A segment `..` in a value, or in a text inside a JSON value. A pattern may match a path with such a segment although
 * the path leads somewhere else.
 */
const CLIMBS = /(?<![^/\\"])\.\.(?![^/\\"])/;

/**
 * Characters that end or redirect a command, begin another command, or run a command inside it. A pattern that matches
 * the first command would also allow the text after such a character.
 */
const COMPOUND = /[\n\r;&|<>$`(){}]/;

/**
 * Decides about a call under the policy of its turn. The first rule that matches decides. Without such a rule, a tool
 * that needs approval is asked about, and for all other tools the setting decides. A request can turn an `allow` into
 * an `ask`, but never the other way round. Rules see the registered name and the normalised arguments
 * (`normalisedArguments`).
 */
export const approvalModeOf = (
  { rules, setting, requested = 'never' }: ApprovalPolicy,
  call: JudgedCall,
): ApprovalMode => {
  const { declaration } = call;
  const defaultMode = declaration.needsApproval === undefined ? modeOf(setting, declaration) : 'ask';
  const configured = rules.find((rule) => matches(rule, call))?.mode ?? defaultMode;
  return configured === 'allow' ? modeOf(requested, declaration) : configured;
};

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
 * Reports whether a rule applies to a call. If the rule asks or denies, one matching path is enough for each pattern.
 * If it allows, all paths must match. MCP tools do not declare which arguments are paths, so every value is judged as a
 * path: rules that ask or deny also see it with `..` resolved, and a pattern of a rule that allows matches no value
 * with a segment `..`.
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

/**
 * Reports whether a rule with the arguments `wanted` may allow a call at all. A command is allowed only by a rule about
 * `command`, and only if it is a single command. A rule about paths allows no command, although the folder that a
 * command runs in is a path.
 */
const mayAllow = (wanted: Readonly<Record<string, string>>, call: JudgedCall): boolean => {
  if (call.declaration.runsCommand !== true) return true;
  const command = Object.hasOwn(wanted, 'command') ? call.arguments['command'] : undefined;
  return typeof command === 'string' && !COMPOUND.test(command);
};

const valuesOf = (field: string, call: JudgedCall): readonly string[] =>
  subjectFields(field, call.declaration).flatMap((name) => {
    const value = Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined;
    if (value === undefined) return [];
    return [typeof value === 'string' ? value : canonicalJson(value)];
  });

/**
 * Returns the names of the arguments that a rule means by `field`. `path` means the argument `path` and all arguments
 * that the tool declares as paths.
 */
const subjectFields = (field: string, { pathArguments }: ToolDeclaration): readonly string[] =>
  field === 'path' ? [...new Set([field, ...pathArguments])] : [field];
