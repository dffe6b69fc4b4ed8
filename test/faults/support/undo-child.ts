import { enableCompileCache } from 'node:module';
import { CountedOperations } from './counted-operations.ts';

/**
 * What the process does once. `strikeAt` is the number of the operation before which it gets `signal`, counted from 1;
 * 0 for none.
 */
export interface UndoErrand {
  readonly places: { readonly databaseUrl: string; readonly root: string; readonly dataDir: string };
  readonly turnId: string;
  readonly action: 'edit' | 'undo';
  readonly strikeAt: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

// Many of these processes are started one after the other, so their compiled code is cached.
enableCompileCache();

const operations = new CountedOperations();
await operations.watch();
const { openUndoGround } = await import('./undo-ground.ts');

process.once('message', (errand: UndoErrand) => {
  const { places, turnId, action, strikeAt: at, signal } = errand;
  const run = async (): Promise<void> => {
    const ground = await openUndoGround(places);
    operations.arm(at === 0 ? undefined : { at, signal, isTorn: false });
    await (action === 'edit' ? ground.edit(turnId) : ground.undo(turnId));
    const seen = operations.seen.length;
    await ground.close();
    process.send?.(seen, () => process.exit());
  };
  void run();
});
