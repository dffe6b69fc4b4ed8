/**
 * An MCP server over stdio that misbehaves in the way its first argument names. It speaks plain JSON-RPC, because no
 * server library would do any of this. The second argument is the path of a report: `stubborn` writes its process id
 * there, `endless-flood` the number of characters it has written.
 */
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';

type Fault =
  | 'none'
  | 'hang-on-start'
  | 'hang-on-call'
  | 'crash-on-call'
  | 'internal-error'
  | 'invalid-params'
  | 'flood'
  | 'endless-flood'
  | 'endless-pages'
  | 'garbage'
  | 'lying'
  | 'evil-pattern'
  | 'evil-references'
  | 'evil-answer'
  | 'verbose'
  | 'nested'
  | 'many-values'
  | 'many-names'
  | 'empty-blocks'
  | 'empty-tools'
  | 'wordy-greeting'
  | 'chatter'
  | 'long-text'
  | 'stubborn';

const [fault, report] = process.argv.slice(2) as [Fault, string | undefined];
if (fault === 'stubborn' && report !== undefined) writeFileSync(report, String(process.pid));

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

const send = (id: number | undefined, result: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

const sendError = (id: number | undefined, code: number, message: string): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);

const tool = (name: string, extra: object = {}) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: name !== 'change' },
  ...extra,
});

const TOOLS = [tool('look'), tool('change')];
/**
 * Tools with schemas that no validator can compile, a repeated name, names that no provider accepts or that every
 * object has, and a schema of 100 KB.
 */
const LIES = [
  ...TOOLS,
  tool('look'),
  tool('constructor', { annotations: { readOnlyHint: false } }),
  tool('näme with blanks and a lot more letters than any provider would ever accept here'),
  tool('odd', { inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }),
  tool('huge', { inputSchema: { type: 'object', description: 'x'.repeat(100_000) } }),
];

/** A match against forty letters and an exclamation mark backtracks about 2^40 times. */
const EVIL_PATTERN = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };

/** Returns a schema in which each level refers to the next one twice. */
const doubling = (levels: number): object => {
  const $defs: Record<string, object> = { [`l${levels}`]: { type: 'string' } };
  for (let level = 0; level < levels; level += 1) {
    const $ref = `#/$defs/l${level + 1}`;
    $defs[`l${level}`] = { anyOf: [{ $ref }, { $ref, description: 'again' }] };
  }
  return { type: 'object', properties: { deep: { $ref: '#/$defs/l0' } }, $defs };
};

const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

/** The approximate length of a large answer, in characters, just below the 2 MiB that one message may have. */
const LARGE = 2_000_000;

const largeAnswer = (): object | undefined => {
  switch (fault) {
    case 'many-values':
      return { content: [], structuredContent: { values: Array.from({ length: LARGE / 2 }, () => 0) } };
    case 'many-names': {
      const names = Array.from({ length: LARGE / 12 }, (_, i) => [`n${i}`, 0] as const);
      return { content: [], structuredContent: Object.fromEntries(names) };
    }
    case 'empty-blocks':
      return { content: Array.from({ length: LARGE / 3 }, () => ({})) };
    case 'long-text':
      return { content: [{ type: 'text', text: '\u0001'.repeat(LARGE / 6) }] };
    default:
      return undefined;
  }
};

const toolsOf = (): readonly object[] => {
  switch (fault) {
    case 'lying':
      return LIES;
    case 'evil-pattern':
      return [tool('look', { inputSchema: EVIL_PATTERN })];
    case 'evil-references':
      return [tool('look', { inputSchema: doubling(24) })];
    case 'evil-answer':
      return [tool('look', { outputSchema: EVIL_PATTERN })];
    case 'verbose':
      return Array.from({ length: 60 }, (_, i) =>
        tool(`tool${i}`, { inputSchema: { type: 'object', description: 'x'.repeat(30_000) } }),
      );
    case 'empty-tools':
      return Array.from({ length: LARGE / 3 }, () => ({}));
    case 'nested':
      return [tool('look', { inputSchema: { type: 'object', default: nested(40_000) } }), tool('change')];
    default:
      return TOOLS;
  }
};

const list = (id: number | undefined): void => {
  if (fault === 'endless-pages') send(id, { tools: TOOLS, nextCursor: String(Math.random()) });
  else send(id, { tools: toolsOf() });
};

const call = (id: number | undefined, name: string | undefined): void => {
  if (fault === 'hang-on-call' || fault === 'stubborn') return;
  if (fault === 'crash-on-call') process.exit(1);
  if (fault === 'internal-error') return sendError(id, -32_603, 'Internal error');
  if (fault === 'invalid-params') return sendError(id, -32_602, 'Invalid params');
  if (fault === 'flood') return send(id, { content: [{ type: 'text', text: 'x'.repeat(50_000_000) }] });
  if (fault === 'endless-flood') return flood();
  if (fault === 'chatter') return chatter();
  const large = largeAnswer();
  if (large) return send(id, large);
  if (fault === 'evil-answer') {
    return send(id, { content: [], structuredContent: { text: `${'a'.repeat(40)}!` } });
  }
  if (fault === 'lying') return send(id, { content: [{ type: 'text', text: 'a\u0000b\ud800' }] });
  send(id, { content: [{ type: 'text', text: `did ${name}` }] });
};

/**
 * Writes without end. Each piece is counted before it is written, so the client has never taken more than the report
 * says.
 */
const flood = (written = 0): void => {
  const piece = 'x'.repeat(100_000);
  if (report !== undefined) writeFileSync(report, String(written + piece.length));
  process.stdout.write(piece, () => flood(written + piece.length));
};

/** Writes small messages without end, as fast as the client takes them. */
const chatter = (): void => {
  const notes = '{"jsonrpc":"2.0","method":"notifications/nothing"}\n'.repeat(20_000);
  process.stdout.write(notes, chatter);
};

const answer = ({ id, method, params }: Request): void => {
  switch (method) {
    case 'initialize':
      if (fault === 'hang-on-start') return;
      if (fault === 'garbage') process.stdout.write('this is no JSON\n{"jsonrpc":"1.0"}\n[]\n');
      return send(id, {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: {
          name: 'faulty',
          version: '1',
          ...(fault === 'wordy-greeting' && { icons: Array.from({ length: LARGE / 3 }, () => ({})) }),
        },
      });
    case 'tools/list':
      return list(id);
    case 'tools/call':
      return call(id, params?.name);
    case 'ping':
      if (fault !== 'stubborn') send(id, {});
      return;
    default:
  }
};

createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line) as Request));
if (fault === 'stubborn' || fault === 'endless-flood') {
  // The process outlives the end of its input and a polite signal.
  setInterval(() => undefined, 1_000);
  process.on('SIGTERM', () => undefined);
}
