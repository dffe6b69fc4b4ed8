import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { ReplyName } from '../../contracts/wire/input-events.ts';
import type { WriteOperation } from '../../contracts/write-session/write-session.ts';
import type { GlobalFlags } from '../command-context/cli-context.ts';
import type { AutoReply } from '../turn/input-request-responder.ts';
import type { OutputFormat } from '../turn/show-turn.ts';
import type { TurnOwnership } from '../turn/watch-turn.ts';

/** The options with which turns are started. Undefined means that the user did not give the option. */
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
  /**
   * Id of the conversation to continue, or its beginning. True means that the person chooses a conversation from a
   * list, and false that the option was not given.
   */
  readonly resume: string | boolean;
  /** Id of the turn whose opening message is replaced by the first message, or the beginning of that id. */
  readonly insteadOf: string | undefined;
}

/** The source of the content of `orion write finalize`: the session's stored draft, stdin, or a file by its path. */
export type ContentSource =
  | { readonly kind: 'draft'; readonly isForced: boolean }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'file'; readonly path: string };

/** What the command line asks for, read from its arguments. */
export type Command =
  /** A conversation. If stdin is not a terminal, it is a single answer in `format`, and stdin may hold the prompt. */
  | {
      readonly name: 'chat';
      /** The first message. Undefined means that the person types it, or that stdin has it. */
      readonly firstMessage: string | undefined;
      readonly turnFlags: TurnFlags;
      readonly format: OutputFormat;
    }
  | {
      readonly name: 'prompt';
      /** The prompt. Undefined means that stdin is the whole prompt. */
      readonly text: string | undefined;
      readonly turnFlags: TurnFlags;
      readonly format: OutputFormat;
    }
  /**
   * Answers the message of a turn anew. `turnId` may be the beginning of an id. Undefined means the newest turn of the
   * project.
   */
  | {
      readonly name: 'retry';
      readonly turnId: string | undefined;
      readonly turnFlags: TurnFlags;
      readonly format: OutputFormat;
    }
  /**
   * Shows a turn. As in `cancel` and `trace`, `turnId` may be the beginning of an id, and undefined means the newest
   * turn of the project.
   */
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
      /** Id of the message, which counts once however often it is sent. Undefined means that it gets a new id. */
      readonly messageId: string | undefined;
    }
  /** `inputId` is the request to show. Undefined means all requests that wait in the project. */
  | { readonly name: 'waiting'; readonly inputId: string | undefined }
  | {
      readonly name: 'reply';
      readonly inputId: string;
      readonly reply: ReplyName;
      readonly note: string | undefined;
      readonly content: string | undefined;
      /** True when the call of a client's tool succeeded. It counts only for the reply `result`. */
      readonly ok: boolean;
      /** Path of a JSON file with the arguments that replace those of the call, for the reply `edit`. */
      readonly argumentsFile: string | undefined;
    }
  | { readonly name: 'sessions' }
  | { readonly name: 'cost'; readonly days: number }
  /** `isSure` is true when the person need not be asked first. */
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
  /**
   * Here and in `down`, `folder` is a path as it was typed. Undefined means the nearest folder with a running stack,
   * from the current folder upwards. If there is none, `up` takes the current folder.
   */
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
  /** `peak` is the number of turns in the busiest minute, as a multiple of the mean. */
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

/** The member of `Command` that has the name `N`. */
export type CommandNamed<N extends Command['name']> = Extract<Command, { name: N }>;
