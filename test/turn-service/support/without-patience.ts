import type { Client } from '@temporalio/client';

/** Stands for `client.withDeadline`: a call that has no answer at once fails as if its deadline had passed. */
export const withoutPatience: Client['withDeadline'] = (_deadline, call) => {
  const { promise, reject } = Promise.withResolvers<never>();
  setImmediate(() => reject(new Error('deadline exceeded')));
  return Promise.race([call(), promise]);
};
