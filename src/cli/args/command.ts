import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { ReplyName } from '../../contracts/wire/input-events.ts';
import type { WriteOperation } from '../../contracts/write-session/write-session.ts';
import type { GlobalFlags } from '../command-context/cli-context.ts';
import type { AutoReply } from '../turn/request-responder.ts';
import type { OutputFormat } from '../turn/show-turn.ts';
import type { TurnOwnership } from '../turn/watch-turn.ts';

/** The options with which turns are started; an option that the user did not give is undefined. */
export interface TurnFlags {
  readonly mode: TurnMode;
  readonly protocol: ProtocolName | undefined;
  readonly model: string | undefined;
  readonly approve: ApprovalSetting | undefined;
  /** The reply that this command gives to approvals by itself. */
  readonly autoReply: AutoReply | undefined;
  readonly maxCycles: number;
  readonly conversation: string | undefined;
  /** True to continue with the newest conversation of the project. */
  readonly continuesNewest: boolean;
  /** Continues the conversation whose id is this or begins with this. If true, the person chooses it from a list. */
  readonly resume: string | boolean;
  /** The first message replaces the one that began this turn (its id or the beginning of that). */
  readonly insteadOf: string | undefined;
}

/** The source of the content of `orion write finalize`: the session's stored draft, stdin, or a file by its path. */
export type ContentSource =
  | { readonly kind: 'draft'; readonly isForced: boolean }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'file'; readonly path: string };

/** What the command line asks for, read from its arguments. */
export type Command =
  /** `format` is the format of the only answer when stdin is no terminal and holds the prompt. */
  | {
      readonly name: 'chat';
      /** The first question. Undefined means that the person types it, or that stdin has it. */
      readonly firstMessage: string | undefined;
      readonly turn: TurnFlags;
      readonly format: OutputFormat;
    }
  | {
      readonly name: 'prompt';
      /** The prompt. Undefined means that stdin is the whole prompt. */
      readonly text: string | undefined;
      readonly turn: TurnFlags;
      readonly format: OutputFormat;
    }
  /** The message of a turn is answered anew. */
  | {
      readonly name: 'retry';
      readonly turnId: string | undefined;
      readonly turn: TurnFlags;
      readonly format: OutputFormat;
    }
  /** The beginning of a turn's id is enough. Undefined means the newest turn of the project. */
  | {
      readonly name: 'attach';
      readonly turnId: string | undefined;
      readonly format: OutputFormat;
      readonly ownership: TurnOwnership;
    }
  | { readonly name: 'cancel'; readonly turnId: string | undefined }
  /** The id or its beginning is required, so that nobody undoes the newest turn by mistake. */
  | { readonly name: 'undo'; readonly turnId: string }
  | {
      readonly name: 'steer';
      readonly turnId: string;
      readonly content: string;
      readonly when: 'boundary' | 'now';
      /** True when the next turn may begin with the message, if this one has ended. */
      readonly mayQueue: boolean;
      /** Id of a message that was sent before. Undefined if the message is new. */
      readonly messageId: string | undefined;
    }
  /** The request that is shown. Undefined means all that wait in the project. */
  | { readonly name: 'waiting'; readonly inputId: string | undefined }
  | {
      readonly name: 'reply';
      readonly inputId: string;
      readonly reply: ReplyName;
      readonly note: string | undefined;
      readonly content: string | undefined;
      /** True when the call of a client's tool worked; only for the reply `result`. */
      readonly ok: boolean;
      /** Path of a JSON file. */
      readonly argumentsFile: string | undefined;
    }
  | { readonly name: 'sessions' }
  | { readonly name: 'cost'; readonly days: number }
  /** `isSure` says that the person is not asked first. */
  | { readonly name: 'sessions delete'; readonly conversationId: string; readonly isSure: boolean }
  | { readonly name: 'trace'; readonly turnId: string | undefined }
  | {
      readonly name: 'write begin';
      readonly target: string;
      readonly operation: WriteOperation;
      readonly intent: string | undefined;
    }
  | { readonly name: 'write finalize'; readonly sessionId: string; readonly source: ContentSource }
  | { readonly name: 'write status'; readonly sessionId: string }
  | { readonly name: 'write cancel' | 'write undo'; readonly sessionId: string }
  | { readonly name: 'write recover'; readonly sessionId: string | undefined }
  /** A folder as it was typed. Undefined means the current folder, or one above it. */
  | { readonly name: 'up'; readonly folder: string | undefined }
  | { readonly name: 'down'; readonly folder: string | undefined }
  | { readonly name: 'status' }
  | { readonly name: 'config' }
  /** Arguments for Temporal's own command line. */
  | { readonly name: 'temporal'; readonly args: readonly string[] }
  | {
      readonly name: 'keys new';
      readonly keyName: string | undefined;
      readonly projects: readonly string[];
      /** Path of a file of keys that gets the entry. Undefined means that the entry is printed. */
      readonly addTo: string | undefined;
      readonly printsJson: boolean;
    }
  /** `peak` is the factor by which the busiest minute exceeds the mean. */
  | {
      readonly name: 'capacity';
      readonly turnsPerDay: number;
      readonly peak: number;
      readonly printsJson: boolean;
    }
  /** The shell asks for a completion script or for suggestions. */
  | { readonly name: 'completion' };

/** The result of reading a command line: a command, or a text to print. */
export type Invocation =
  | { readonly kind: 'command'; readonly command: Command; readonly flags: GlobalFlags }
  /** Help, the version, or what is wrong with the arguments. */
  | {
      readonly kind: 'text';
      readonly to: 'stdout' | 'stderr';
      readonly text: string;
      readonly exitCode: 0 | 2;
    };

/** The request of the command that has this name. */
export type CommandNamed<N extends Command['name']> = Extract<Command, { name: N }>;
