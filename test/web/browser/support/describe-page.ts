/** Describes a page for which a test has waited in vain: its messages, its turns, its requests. */
import type { Page, Request } from 'playwright-core';

interface AskedRequest {
  readonly at: number;
  readonly words: string;
  outcome: string;
}

/** The number of requests that are listed, newest last. */
const MAX_TOLD = 40;
/** A gateway that answers at all takes less time than this. */
const ANSWER_WITHIN_MS = 10_000;

const requestsOf = new WeakMap<Page, AskedRequest[]>();

/**
 * Keeps the requests of a page to its gateway and their outcomes for `describePage`. It is called before the page is
 * opened.
 */
export const watchRequests = (page: Page): void => {
  const asked = new Map<Request, AskedRequest>();
  const told: AskedRequest[] = [];
  requestsOf.set(page, told);
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/api/')) return;
    const one = {
      at: performance.now(),
      words: `${request.method()} ${pathname}${search}`,
      outcome: 'no answer',
    };
    asked.set(request, one);
    told.push(one);
  });
  const tell = (request: Request, outcome: (before: string) => string): void => {
    const one = asked.get(request);
    if (one) one.outcome = outcome(one.outcome);
  };
  page.on('response', (response) => tell(response.request(), () => `${response.status()}, open`));
  page.on('requestfinished', (request) => tell(request, (before) => before.replace('open', 'over')));
  page.on('requestfailed', (request) =>
    tell(request, (before) => `${before}, ${request.failure()?.errorText}`),
  );
};

const SHOWN = `
  [...document.querySelectorAll('.exchange')].map((exchange) => ({
    turnId: exchange.id,
    words: [...exchange.querySelectorAll('.user-message, .present, .pending, .problem, [aria-busy=true] .end')]
      .map((part) => part.className + ': ' + part.innerText.replaceAll(/\\s+/g, ' ')),
    isBusy: exchange.querySelector('[aria-busy=true]') !== null,
  }))
`;
const KEPT = `JSON.stringify(sessionStorage)`;

interface ShownExchange {
  readonly turnId: string;
  readonly words: readonly string[];
  readonly isBusy: boolean;
}

/**
 * Resolves to a text with the page's messages and what the gateway says of their turns, what the tab keeps, and the
 * page's last requests.
 */
export const describePage = async (page: Page, baseUrl: string): Promise<string> => {
  const exchanges = (await page.evaluate(SHOWN)) as readonly ShownExchange[];
  const turns = exchanges.map(async ({ turnId, words, isBusy }) => {
    const said = [isBusy ? 'busy' : 'still', ...words].join('; ');
    return `${turnId}: ${said}\n    gateway: ${await turnAt(`${baseUrl}/api/turns/${turnId}`)}`;
  });
  const asked = (requestsOf.get(page) ?? []).slice(-MAX_TOLD).map(({ at, words, outcome }) => {
    const seconds = ((performance.now() - at) / 1_000).toFixed(1);
    return `${seconds} s ago: ${words}: ${outcome}`;
  });
  return [
    `page ${page.url()}`,
    ...(await Promise.all(turns)),
    `kept ${String(await page.evaluate(KEPT))}`,
    ...asked,
  ].join('\n  ');
};

const turnAt = async (address: string): Promise<string> => {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const { status, reason, waitingFor, phase, error } = (await answer.json()) as Record<string, unknown>;
    return `${answer.status} ${JSON.stringify({ status, reason, waitingFor, phase, error })}`;
  } catch (error) {
    return String(error);
  }
};
