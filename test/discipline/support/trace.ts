import { readFileSync } from 'node:fs';
import type { ToolDeclaration } from '../../../src/contracts/tools/tool-call.ts';
import type { JsonValue } from '../../../src/contracts/values/json-value.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Args = { readonly [key: string]: Json };

/** A move in which the model makes one call. `key` names the call in what the trace expects. */
export interface CallMove {
  readonly call: string;
  readonly key: string;
  readonly args?: Args;
  readonly raw?: string;
  readonly id?: string;
  readonly say?: string;
  readonly onRefused?: 'answer' | readonly Move[];
  readonly onError?: 'answer' | readonly Move[];
}

export type Move =
  | CallMove
  | { readonly calls: readonly CallMove[] }
  | { readonly text: string }
  | { readonly chant: { readonly unit: string; readonly times: number } }
  | {
      readonly bad: { readonly name: string; readonly raw: string };
      readonly key: string;
      readonly say?: string;
    }
  | { readonly user: string }
  | LoopMove;

export interface LoopMove {
  readonly loop: readonly Move[];
  readonly times: number | 'forever';
  readonly until?: string;
}

export interface TraceTool {
  readonly name: string;
  readonly effect: ToolDeclaration['effect'];
  readonly schema: {
    readonly properties: Readonly<Record<string, { readonly type?: string; readonly default?: Json }>>;
    readonly required?: readonly string[];
  };
  readonly hints?: { readonly idempotentHint?: boolean };
  readonly path?: readonly string[];
}

/** One answer of a tool. */
export interface Step {
  readonly result?: Json;
  readonly error?: string;
  readonly retryable?: boolean;
}

export interface Row extends Step {
  readonly match?: Args;
  readonly answers?: readonly Step[];
}

export type Rule =
  | ({ readonly kind: 'const' } & Step)
  | { readonly kind: 'unique' }
  | { readonly kind: 'sequence'; readonly answers: readonly Step[]; readonly per?: 'args' }
  | { readonly kind: 'table'; readonly rows: readonly Row[]; readonly otherwise: Row }
  | { readonly kind: 'page'; readonly total: number; readonly noun?: string }
  | CheckRule
  | FileRule;

/** The rule of a tool that works on the files of the trace. */
export interface FileRule {
  readonly kind: 'fs-read' | 'fs-list' | 'fs-search' | 'fs-write' | 'fs-edit';
  readonly says?: string;
  readonly strict?: boolean;
}

/** A test or build whose outcome depends on files. */
export interface CheckRule {
  readonly kind: 'check';
  readonly command?: string;
  readonly needs: readonly { readonly path: string; readonly has: string; readonly name?: string }[];
  readonly pass?: string;
  readonly fail?: string;
  readonly vary?: boolean;
  readonly asError?: boolean;
  readonly leaves?: Readonly<Record<string, string>>;
}

export interface AgentTrace {
  readonly id: string;
  readonly family: string;
  readonly label: 'spam' | 'honest' | 'mixed';
  readonly mode?: 'plan' | 'act';
  readonly files?: Readonly<Record<string, string>>;
  readonly tools: readonly TraceTool[];
  readonly script: readonly Move[];
  readonly toolResults?: Readonly<Record<string, Rule>>;
  readonly expect: {
    readonly executed: readonly string[];
    readonly refused: readonly string[];
    readonly ends: 'answer' | 'forced';
    readonly maxModelCalls: number;
    readonly maxChars?: number;
  };
}

export const readTraces = (): AgentTrace[] =>
  JSON.parse(readFileSync(new URL('traces.json', import.meta.url), 'utf8')) as AgentTrace[];

export const declarationOf = (tool: TraceTool): ToolDeclaration => ({
  name: tool.name,
  effect: tool.effect,
  pathArguments: [...(tool.path ?? [])],
  volatileFields: [],
  defaults: Object.fromEntries(
    Object.entries(tool.schema.properties).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [[key, structuredClone(value) as JsonValue]],
    ),
  ),
  ...(tool.hints?.idempotentHint !== undefined && { idempotentHint: tool.hints.idempotentHint }),
});
