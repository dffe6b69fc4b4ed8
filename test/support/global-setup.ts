import { startTestServers, type TestServers } from './test-servers.ts';

declare global {
  /** Jest shares nothing between set-up and teardown except the global object. */
  var orionTestServers: TestServers | undefined;
}

/** Runs once, before the first test that needs a server; the workers that run the tests inherit the variables. */
const setUp = async (): Promise<void> => {
  globalThis.orionTestServers = await startTestServers();
  Object.assign(process.env, globalThis.orionTestServers.env);
};

export { setUp as default };
