import { randomInt } from 'node:crypto';
import { findFreePort } from './ports.ts';

/** An address that only this machine reaches. */
export interface LoopbackAddress {
  readonly host: string;
  readonly port: number;
}

/** RFC 1122, section 3.2.1.3: all of 127/8 is this machine. Linux takes it at its word, other systems know one address. */
const drawHost = (): string => ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');

/**
 * A free port at an address among 16 million, for a server without a guard of its own that stands behind one of ours:
 * no web page finds it by trying.
 */
export const drawLoopbackAddress = async (): Promise<LoopbackAddress> => {
  const host = drawHost();
  try {
    return { host, port: await findFreePort(host) };
  } catch {
    return { host: '127.0.0.1', port: await findFreePort() };
  }
};
