import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';
import { StartError } from '../../base/errors/start-error.ts';

/** A port that the stack is about to use, and the variable that names another one. */
export interface WantedPort {
  readonly port: number;
  readonly host: string;
  readonly purpose: string;
  readonly variable: string;
}

/** Reports whether a process listens at the address. */
export const isPortTaken = async (address: Pick<WantedPort, 'port' | 'host'>): Promise<boolean> =>
  (await findListenProblem(address)) === 'EADDRINUSE';

/**
 * Checks that every wanted port is free and may be opened by this account. Rejects with StartError, which names all
 * that are not. It is called before anything starts, because somebody else's Temporal on a taken port would answer and
 * look ready.
 */
export const requireUsablePorts = async (wanted: readonly WantedPort[]): Promise<void> => {
  const results = await Promise.all(wanted.map(findPortProblem));
  const problems = results.filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new StartError(problems.join('\n'));
};

/** Returns why a port cannot be used, or undefined if it can. */
const findPortProblem = async (wanted: WantedPort): Promise<string | undefined> => {
  const { port, purpose, variable } = wanted;
  switch (await findListenProblem(wanted)) {
    case 'EADDRINUSE':
      return `Port ${port} (${purpose}) is in use: stop what uses it, or set ${variable}.`;
    case 'EACCES':
      return `This account may not open port ${port} (${purpose}): set ${variable} to another.`;
    default:
      // Any other failure does not count, because the process that is to listen there reports it in its own words.
      return undefined;
  }
};

/**
 * Returns a port that is not in use, chosen by the operating system. Rejects if this machine does not have the address.
 */
export const findFreePort = (host = '127.0.0.1'): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** The host and port of a server, usually at loopback, which only this machine reaches. */
export interface LoopbackAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns a free port for a server without authentication behind a guard. On Linux it is at one of 16 million
 * addresses, so that no web page finds it by trying. On systems with only one loopback address, it is a free port of
 * 127.0.0.1.
 */
export const findLoopbackAddress = async (): Promise<LoopbackAddress> => {
  const host = randomHost();
  try {
    return { host, port: await findFreePort(host) };
  } catch {
    return { host: '127.0.0.1', port: await findFreePort() };
  }
};

/**
 * Returns a random address of loopback. All of 127/8 is this machine (RFC 1122, section 3.2.1.3). Linux supports all of
 * these addresses, other systems only one.
 */
const randomHost = (): string => ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');

/** Tries to listen at an address. Resolves to the code of the error, or to undefined if there was none. */
const findListenProblem = ({ port, host }: Pick<WantedPort, 'port' | 'host'>): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
