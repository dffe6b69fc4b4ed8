import { Option, type Command as Program } from 'commander';
import { approvalSettingSchema, type ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import { modeSchema, type TurnMode } from '../../contracts/tools/tool-call.ts';
import { PHASE_CYCLES_FOR_WORK } from '../../contracts/turn/budgets.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { AUTO_REPLIES, type AutoReply } from '../turn/input-request-responder.ts';
import type { OutputFormat } from '../turn/show-turn.ts';
import type { TurnFlags } from './command.ts';
import { parseCycles, parseId, parseProtocol, PROTOCOL_NAMES } from './values.ts';

/** Options of the program as commander stores them. */
export interface ProgramOptions {
  readonly print?: string | true;
  readonly outputFormat: OutputFormat;
  readonly maxCycles: number;
  readonly project?: string;
  readonly mode: TurnMode;
  readonly protocol?: ProtocolName;
  readonly model?: string;
  readonly approve?: ApprovalSetting;
  readonly answer?: AutoReply;
  readonly conversation?: string;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly insteadOf?: string;
  readonly url?: string;
  readonly json?: true;
  readonly verbose?: true;
  readonly stream?: true;
}

/** Adds the options with which turns are started, such as `--mode`, `--model` and `--conversation`. */
export const addTurnOptions = (program: Program): void => {
  program
    .addOption(
      new Option('--mode <mode>', 'plan: look only; act: change files')
        .choices(modeSchema.options)
        .default('act'),
    )
    .option('-m, --model <name>', 'one of the models that the gateway offers (ORION_MODELS)')
    .addOption(
      new Option('--approve <which>', 'ask before these tools, beside what the gateway wants').choices(
        approvalSettingSchema.options,
      ),
    )
    .addOption(
      new Option('--answer <reply>', 'give this reply to approvals, without asking').choices(AUTO_REPLIES),
    )
    .option('--max-cycles <n>', 'tool executions that a turn may make', parseCycles, PHASE_CYCLES_FOR_WORK)
    .option('--protocol <name>', PROTOCOL_NAMES, parseProtocol)
    .option('--conversation <id>', 'go on with this conversation', parseId)
    .option('-c, --continue', 'go on with the newest conversation')
    .option(
      '--resume [id]',
      'go on with this conversation (its id or the beginning of it), or choose one from a list',
      parseId,
    )
    .option(
      '--instead-of <turnId>',
      'send the message in the place of the one that began this turn',
      parseId,
    );
};

/**
 * Returns the options of `addTurnOptions` as they were given. `continuesNewest` and `resume` are false if they are
 * absent, and any other option without a default is undefined.
 */
export const turnFlagsOf = (options: ProgramOptions): TurnFlags => ({
  mode: options.mode,
  protocol: options.protocol,
  model: options.model,
  approve: options.approve,
  autoReply: options.answer,
  maxCycles: options.maxCycles,
  conversation: options.conversation,
  continuesNewest: options.continue === true,
  resume: options.resume ?? false,
  insteadOf: options.insteadOf,
});

/**
 * Returns the format of an answer. `--json` means `json`, unless `--output-format` names a format other than `text`.
 */
export const outputFormatOf = ({ json, outputFormat }: ProgramOptions): OutputFormat =>
  json === true && outputFormat === 'text' ? 'json' : outputFormat;
