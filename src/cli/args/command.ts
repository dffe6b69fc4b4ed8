import type { Mode } from '../../contracts/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn-input.ts';
import type { WriteOperation } from '../../contracts/write-session.ts';
import type { GlobalFlags } from '../context.ts';
import type { OutputFormat } from '../turn/show-turn.ts';

/** How turns are started; undefined where the user did not say. */
export interface TurnFlags {
  readonly mode: Mode;
  readonly protocol: ProtocolName | undefined;
  readonly maxCycles: number;
  readonly conversation: string | undefined;
  /** Go on with the newest conversation of the project. */
  readonly continue: boolean;
}

/** Where the content of a finalize comes from. */
export type ContentSource =
  { readonly kind: 'draft' } | { readonly kind: 'stdin' } | { readonly kind: 'file'; readonly path: string };

/** What the user asks for. */
export type Command =
  /** `format` is that of the one answer when stdin is no terminal and holds the prompt. */
  | { readonly name: 'chat'; readonly turn: TurnFlags; readonly format: OutputFormat }
  | {
      readonly name: 'prompt';
      /** Undefined: stdin alone is the prompt. */
      readonly text: string | undefined;
      readonly turn: TurnFlags;
      readonly format: OutputFormat;
    }
  | { readonly name: 'attach'; readonly turnId: string; readonly format: OutputFormat }
  | { readonly name: 'cancel'; readonly turnId: string }
  | { readonly name: 'sessions' }
  | { readonly name: 'trace'; readonly turnId: string }
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
  | { readonly name: 'config' }
  | {
      readonly name: 'keys new';
      readonly keyName: string | undefined;
      readonly projects: readonly string[];
      readonly json: boolean;
    }
  /** The shell asks for a completion script or for suggestions. */
  | { readonly name: 'completion' };

export type Invocation =
  | { readonly kind: 'command'; readonly command: Command; readonly flags: GlobalFlags }
  /** Help, the version, or what is wrong with the arguments. */
  | {
      readonly kind: 'text';
      readonly to: 'stdout' | 'stderr';
      readonly text: string;
      readonly exitCode: 0 | 2;
    };
