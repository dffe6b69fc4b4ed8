import { refusal } from './responses.ts';
import type { Match, Response, Rule } from './script.ts';

export interface ChatRequest {
  readonly model?: string;
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly unknown[];
  readonly [field: string]: unknown;
}

/** A request without a script must fail its test at once: no client retries a 400. */
const unscripted: Response = refusal(400, {
  message: 'The fake model has no script for this request.',
  type: 'invalid_request_error',
});

/** A list of rules in which the first rule that matches and is not used up answers. */
export class RuleBook {
  #entries: { rule: Rule; used: number }[] = [];

  add(rules: readonly Rule[]): void {
    this.#entries.push(...rules.map((rule) => ({ rule, used: 0 })));
  }

  clear(): void {
    this.#entries = [];
  }

  take(request: ChatRequest): Response {
    const entry = this.#entries.find(
      ({ rule, used }) => matches(rule.match ?? {}, request) && (rule.repeat || used < rule.responses.length),
    );
    if (!entry) return unscripted;
    const { responses } = entry.rule;
    return responses[Math.min(entry.used++, responses.length - 1)] ?? unscripted;
  }
}

const matches = (match: Match, { model, messages = [], tools = [] }: ChatRequest): boolean => {
  const contents = messages.map(({ content }) => JSON.stringify(content ?? ''));
  const includes = (text: string | undefined, part: string) =>
    text?.includes(JSON.stringify(part).slice(1, -1));
  const lastUser = contents[messages.findLastIndex(({ role }) => role === 'user')];
  return (
    (match.model === undefined || match.model === model) &&
    (match.user === undefined || includes(lastUser, match.user) === true) &&
    (match.includes === undefined || contents.some((text) => includes(text, match.includes as string))) &&
    (match.lastRole === undefined || messages.at(-1)?.role === match.lastRole) &&
    (match.tools === undefined || match.tools === tools.length > 0)
  );
};
