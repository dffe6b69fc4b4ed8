import { attacks } from './attacks.ts';
import type { Order } from './attacker.ts';
import { worstRequests } from './worst-requests.ts';

// This is the process behind `Attacker`; it ends with its parent.
process.title = 'orion-attacker';
process.on('disconnect', () => process.exit());
let running: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;

const obey = async (order: Order): Promise<void> => {
  if ('attack' in order) {
    const attack = [...attacks, ...worstRequests].find(({ name }) => name === order.attack);
    if (!attack) throw new Error(`unknown attack ${order.attack}`);
    const controller = new AbortController();
    const done = attack.run(order.target, controller.signal).catch(() => undefined);
    running = { controller, done };
    return;
  }
  running?.controller.abort();
  await running?.done;
  process.send?.('ended');
};

process.on('message', (order: Order) => void obey(order));
process.send?.('ready');
