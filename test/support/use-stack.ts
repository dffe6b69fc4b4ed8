import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { ChatClient } from './chat-client.ts';
import { startFakeModel, type FakeModel } from './fake-model/fake-model.ts';
import { OrionStack } from './orion-stack.ts';

/** The whole product with a client, and the scripted provider that its turns call. */
export interface StackInUse {
  readonly stack: OrionStack;
  readonly chat: ChatClient;
  readonly fake: FakeModel;
}

/**
 * Gives the tests of a file or of a `describe` one stack and one provider, whose scripts end with each test. `take` is
 * called once, before the first test; `env` overrides the settings of the provider.
 */
export const useStack = (
  env: Readonly<Record<string, string>>,
  take: (started: StackInUse) => void,
): void => {
  let fake: FakeModel | undefined;
  let stack: OrionStack | undefined;
  beforeAll(async () => {
    fake = await startFakeModel();
    const provider = { OPENAI_BASE_URL: fake.baseUrl, OPENAI_API_KEY: 'sk-test', ORION_MODEL: 'fake' };
    stack = await OrionStack.start({ ...provider, ...env });
    take({ stack, chat: new ChatClient(stack.baseUrl), fake });
  });
  afterEach(() => fake?.clear());
  afterAll(async () => {
    await stack?.stop();
    await fake?.close();
  });
};
