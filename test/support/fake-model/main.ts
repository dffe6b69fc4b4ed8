import { startFakeModel } from './fake-model.ts';

// Runs the fake model as a process of its own: `node test/support/fake-model/main.ts [port]`.
process.title = 'orion-fake-model';
const fake = await startFakeModel({ port: Number(process.argv[2] ?? 0) });
process.send?.({ ready: true, port: fake.port });
process.on('disconnect', () => process.exit());
process.stdout.write(`${fake.baseUrl}\n`);
