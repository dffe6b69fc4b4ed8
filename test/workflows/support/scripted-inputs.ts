import { ASK_USER } from '../../../src/contracts/tools/built-in-tools.ts';
import type { InputActivities } from '../../../activities/inputs/input-activities.ts';
import type {
  AnnounceInputRequestInput,
  AnnounceInputRequestResult,
  CheckInputRequestInput,
  CheckInputRequestResult,
  PrepareInputRequestInput,
} from '../../../src/contracts/payload/input-activity-payloads.ts';
import type {
  CallModelInput,
  CallModelResult,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolDeclaration } from '../../../src/contracts/tools/tool-call.ts';
import type { InputSettings } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { ScriptedActivities, type ScriptedAnswer, scriptedCall } from './scripted-activities.ts';
import type { PrepareInputRequestResult } from '../../../src/contracts/inputs/input-request.ts';

export const ARGS_HASH = 'a'.repeat(64);
export const EDITED_HASH = 'b'.repeat(64);

/** The hash of the target's content as every commit shows it. */
export const BEFORE = contentRefOf('before').sha256;

export const writeCall = (path: string, id = 'c1') =>
  scriptedCall('FileSystemTool_write_to_file', { path, content: 'x' }, id);

export const asksBeforeWrites = (more: Partial<InputSettings> = {}): InputSettings => ({
  approvals: { rules: [], setting: 'writes' },
  expiryMs: 60_000,
  ...more,
});

export const questionCall = (question: string, id = 'c1') => scriptedCall(ASK_USER.name, { question }, id);

/** Returns settings under which a turn asks nobody about calls, and asks whether it may go on at a limit. */
export const asksAtLimits = (more: Partial<InputSettings> = {}): InputSettings => ({
  approvals: { rules: [], setting: 'never' },
  expiryMs: 60_000,
  accepts: ['limit'],
  ...more,
});

/** Returns what a worker prepares for a request whose call passes its checks; a call for an answer has no hash. */
export const preparationOf = ({ call, session }: PrepareInputRequestInput): PrepareInputRequestResult => {
  if (!call) return { kind: 'ready', shown: {} };
  const { name, arguments: text } = call.function;
  if (declarationOf(name).asks !== undefined) return { kind: 'ready', shown: { arguments: text } };
  return {
    kind: 'ready',
    shown: { argsHash: ARGS_HASH, arguments: text, target: 'a.md', diff: '-one\n+two\n' },
    excerpt: '-one\n+```two',
    ...(session && { before: BEFORE }),
  };
};

const declaration = {
  name: 'FileSystemTool_write_to_file',
  effect: 'write' as const,
  pathArguments: ['path'],
  volatileFields: [],
  defaults: {},
};

const declarationOf = (name: string): ToolDeclaration => {
  if (name === ASK_USER.name) return ASK_USER;
  return { ...declaration, name, ...(name.startsWith('app_') && { asks: 'client_tool' }) };
};

/**
 * Returns activities of a turn that asks: every call passes its checks unless its path contains `bad` or `late`; the
 * check of `held` waits for the test.
 */
export const scriptedInputs = (answers: readonly ScriptedAnswer[]) => {
  const scripted = new ScriptedActivities(answers);
  const prepared: PrepareInputRequestInput[] = [];
  const announced: AnnounceInputRequestInput[] = [];
  const checked: CheckInputRequestInput[] = [];
  const waiting: ((input: AnnounceInputRequestInput) => void)[] = [];
  const held = Promise.withResolvers<() => void>();
  const callModel = async (input: CallModelInput): Promise<CallModelResult> => {
    const { outcome, tail } = await scripted.callModel(input);
    if (outcome.kind !== 'ended') return { outcome, tail };
    const declarations = Object.fromEntries(
      outcome.calls.map(({ function: { name } }) => [name, declarationOf(name)]),
    );
    return { outcome: { ...outcome, declarations }, tail };
  };
  const inputs: InputActivities = {
    prepareInput: (input): Promise<PrepareInputRequestResult> => {
      prepared.push(input);
      return Promise.resolve(preparationOf(input));
    },
    checkInput: (input): Promise<CheckInputRequestResult> => {
      checked.push(input);
      const args = input.call.function.arguments;
      if (args.includes('bad')) return Promise.resolve({ kind: 'failed', error: 'outside the workspace' });
      if (args.includes('late')) return Promise.resolve({ kind: 'changed' });
      const passes = { kind: 'passes', argsHash: EDITED_HASH } as const;
      if (!args.includes('held')) return Promise.resolve(passes);
      return new Promise((resolve) => held.resolve(() => resolve(passes)));
    },
    announceInput: (input): Promise<AnnounceInputRequestResult> => {
      announced.push(input);
      waiting.shift()?.(input);
      return Promise.resolve('open');
    },
  };
  let seen = 0;
  /** Resolves to the announcement of the next request; one that was announced earlier and not yet taken comes first. */
  const nextRequest = (): Promise<AnnounceInputRequestInput> => {
    const known = announced[seen];
    seen += 1;
    return known ? Promise.resolve(known) : new Promise((resolve) => waiting.push(resolve));
  };
  const { executeTool, keepWriteSession, closeTurn } = scripted;
  const activities = { callModel, executeTool, keepWriteSession, closeTurn, ...inputs };
  /** Resolves, once the check of `held` is under way, to the function that lets it pass. */
  const heldCheck = (): Promise<() => void> => held.promise;
  return { scripted, activities, prepared, announced, checked, nextRequest, heldCheck };
};
