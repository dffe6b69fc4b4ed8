/*
 * Usage: `node src/demo-model/main.ts [port]`. Runs the demo model as a process of its own, by default on any free
 * port.
 */
import { enterProcess } from '../process/process-entry.ts';
import { joinSupervisor } from '../process/supervised.ts';
import { startDemoModel } from './demo-model.ts';

const readPort = (): number => {
  const port = Number(process.argv[2] ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`port: expected 0 to 65535, received ${process.argv[2]}`);
};

enterProcess('orion-demo-model', readPort, async (port) => {
  const model = await startDemoModel({ port });
  const stop = () => {
    model.close();
    process.exit();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  joinSupervisor(stop)(model.port);
});
