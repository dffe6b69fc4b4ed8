import { createServer } from 'node:net';

/** A port that the stack is about to use, and the variable that names another one. */
export interface WantedPort {
  readonly port: number;
  readonly host: string;
  readonly purpose: string;
  readonly variable: string;
}

/** Some ports are taken. The message names each and how to choose another. */
export class PortTakenError extends Error {
  constructor(taken: readonly WantedPort[]) {
    const lines = taken.map(
      ({ port, purpose, variable }) =>
        `Port ${port} (${purpose}) is in use: stop what uses it, or set ${variable}.`,
    );
    super(lines.join('\n'));
    this.name = 'PortTakenError';
  }
}

const isTaken = ({ port, host }: WantedPort): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    // Any other failure is reported by the process that meets it, in its own words.
    probe.once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE'));
    probe.listen(port, host, () => probe.close(() => resolve(false)));
  });

/**
 * Throws PortTakenError naming all ports in use. Asked before anything starts: a server that answers on a taken
 * port could be somebody else's Temporal, and would look ready.
 */
export const requireFreePorts = async (wanted: readonly WantedPort[]): Promise<void> => {
  const taken = await Promise.all(wanted.map(isTaken));
  const problems = wanted.filter((_, index) => taken[index]);
  if (problems.length > 0) throw new PortTakenError(problems);
};

/** A port that nobody uses now, chosen by the operating system. */
export const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
