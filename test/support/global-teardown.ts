import './global-setup.ts';

/** Stops what the set-up started. */
const tearDown = async (): Promise<void> => {
  await globalThis.orionTestServers?.stop();
};

export { tearDown as default };
