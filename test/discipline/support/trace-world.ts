import stableStringify from 'safe-stable-stringify';
import { FILE_TOOLS } from './world-files.ts';
import { bad, good, type Outcome } from './world-outcome.ts';
import type { Args, CheckRule, Json, Row, Rule, Step, AgentTrace, TraceTool } from './trace.ts';

const stable = (value: unknown): string => stableStringify(value) ?? 'null';

const DEFAULT_KINDS: Readonly<Record<string, 'fs-read' | 'fs-list' | 'fs-search' | 'fs-write' | 'fs-edit'>> =
  {
    read_file: 'fs-read',
    list_files: 'fs-list',
    search_files: 'fs-search',
    write_to_file: 'fs-write',
    edit_file: 'fs-edit',
  };

class Tally {
  readonly #counts = new Map<string, number>();

  next(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

/** Answers calls as a trace says, with files, counters and one simulated clock. */
export class TraceWorld {
  readonly #trace: AgentTrace;
  readonly #files: Map<string, string>;
  readonly #perTool = new Tally();
  readonly #perArgs = new Tally();
  #ticks = 0;

  constructor(trace: AgentTrace) {
    this.#trace = trace;
    this.#files = new Map(Object.entries(trace.files ?? {}));
  }

  execute(name: string, args: Args): Outcome {
    this.#ticks += 1;
    const tool = this.#trace.tools.find((one) => one.name === name);
    if (!tool) {
      return bad(`Unknown tool ${name}. Available: ${this.#trace.tools.map((t) => t.name).join(', ')}`);
    }
    const invalid = validate(tool, args);
    if (invalid !== undefined) return bad(invalid);
    const n = this.#perTool.next(name);
    const m = this.#perArgs.next(`${name} ${stable(args)}`);
    const rule = this.#trace.toolResults?.[name] ?? { kind: DEFAULT_KINDS[name] ?? 'unique' };
    const outcome = this.#answer(rule, name, args, n, m);
    return { ...outcome, content: this.#fill(outcome.content, n, m) };
  }

  #answer(rule: Rule, name: string, args: Args, n: number, m: number): Outcome {
    switch (rule.kind) {
      case 'const':
        return outcomeOf(rule);
      case 'unique':
        return good(`${name} answer for ${stable(args)}`);
      case 'sequence':
        return outcomeOf(nth(rule.answers, rule.per === 'args' ? m : n));
      case 'table':
        return tableAnswer(rule.rows, rule.otherwise, args, m);
      case 'page':
        return pageAnswer(rule.total, rule.noun ?? 'row', args);
      case 'check':
        return this.#check(rule, args);
      default:
        return FILE_TOOLS[rule.kind](this.#files, args, rule);
    }
  }

  #check(rule: CheckRule, args: Args): Outcome {
    const command = String(args['command'] ?? '');
    if (rule.command !== undefined && !command.includes(rule.command)) return good(`$ ${command}\n(done)`);
    const missing = rule.needs.filter(({ path, has }) => !(this.#files.get(path) ?? '').includes(has));
    if (missing.length === 0) return good(rule.pass ?? 'all tests passed');
    const names = missing.map((one) => one.name ?? one.path).join(', ');
    const varied = `${missing.length} of ${rule.needs.length} failed: ${names}`;
    for (const [path, content] of Object.entries(rule.leaves ?? {})) this.#files.set(path, content);
    const text = rule.vary ? varied : (rule.fail ?? 'FAIL: 1 test failed');
    return rule.asError ? bad(text) : good(text);
  }

  #fill(text: string, n: number, m: number): string {
    const time = new Date(Date.UTC(2026, 0, 5, 9) + this.#ticks * 7_000).toISOString();
    return text
      .replaceAll('{{n}}', String(n))
      .replaceAll('{{m}}', String(m))
      .replaceAll('{{seconds}}', String(this.#ticks * 7))
      .replaceAll('{{time}}', time);
  }
}

const outcomeOf = ({ result, error, retryable }: Step): Outcome =>
  error === undefined ? good(result ?? '') : bad(error, retryable ?? false);

const nth = (steps: readonly Step[], count: number): Step => steps[Math.min(count, steps.length) - 1] ?? {};

const tableAnswer = (rows: readonly Row[], otherwise: Row, args: Args, m: number): Outcome => {
  const fits = ({ match }: Row): boolean =>
    Object.entries(match ?? {}).every(([key, value]) => stable(args[key]) === stable(value));
  const row = rows.find(fits) ?? otherwise;
  return outcomeOf(row.answers ? nth(row.answers, m) : row);
};

const pageAnswer = (total: number, noun: string, args: Args): Outcome => {
  const offset = Number(args['offset'] ?? 0);
  const limit = Number(args['limit'] ?? 20);
  const length = Math.max(0, Math.min(limit, total - offset));
  const rows = Array.from({ length }, (_, i) => `${noun}-${offset + i}`);
  return good({ rows, total, more: offset + limit < total });
};

const typeName = (value: Json): string => {
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Checks required fields and primitive types, as the tool runner does before an execution. */
const validate = ({ name, schema }: TraceTool, args: Args): string | undefined => {
  const missing = schema.required?.find((key) => !(key in args));
  if (missing !== undefined) return `invalid arguments: ${missing}: expected a value, received nothing`;
  for (const [key, value] of Object.entries(args)) {
    const property = schema.properties[key];
    if (!property) return `invalid arguments: ${key}: not a parameter of ${name}`;
    const { type } = property;
    const received = typeName(value);
    if (type !== undefined && type !== (value === null ? 'object' : received)) {
      return `invalid arguments: ${key}: expected ${type}, received ${received}`;
    }
  }
  return undefined;
};
