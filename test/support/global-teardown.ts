import './global-setup.ts';

/** Stops the servers that the set-up started. */
const tearDown = async (): Promise<void> => {
  await globalThis.orionTestServers?.stop();
};

export { tearDown as default };
