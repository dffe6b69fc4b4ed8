import type { Bench } from '../figure.ts';

/**
 * The cheapest way to send a reply and an interrupt through Temporal: bare workflows, without the checks of a route and
 * without a row.
 */
export interface BareInputsArm {
  /** Posts a body to one of the routes; resolves when it has answered. */
  post(path: '/ask' | '/reply' | '/talk' | '/interrupt', body: object): Promise<void>;
}

/** Starts the arm in a process of its own; its task queue is named after `name`. */
export const startBareInputsArm = async (
  { processes, ground }: Bench,
  name: string,
): Promise<BareInputsArm> => {
  const { model, temporalAddress } = await ground();
  const port = await processes.serve({
    name,
    role: 'worker',
    entry: 'test/bench/rivals/bare-inputs.ts',
    args: [temporalAddress, `${model.baseUrl}/chat/completions`, `bench-${name}`],
  });
  return {
    async post(path, body) {
      const headers = { 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${port}${path}`;
      const answered = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answered.ok) throw new Error(`${name}: expected 200, received ${await answered.text()}`);
    },
  };
};
