import type { Request, Response } from 'express';
import type { InputActor } from '../../contracts/wire/input-events.ts';
import { ApiError } from '../errors/api-error.ts';
import { countedAddress } from './counted-address.ts';

/** What the client of a request may do (docs/http-api.md "Keys"). */
export interface ClientAccess {
  /** Name of the client's API key, for logs and limits. Undefined if the gateway asks for no keys. */
  readonly name: string | undefined;
  /** Reports whether the client may use a project. */
  mayUse(projectId: string): boolean;
  /** The projects that the client may use. Undefined means all of them. */
  readonly projects: readonly string[] | undefined;
  /** True when the client may reply to input requests. */
  readonly mayApprove: boolean;
  /** What the turns of the key may cost on a UTC day, in whole millionths of the currency. Absent means no limit. */
  readonly costPerDay?: number;
  /** True when the client may use every project. Such a client counts as an operator of the gateway. */
  readonly mayUseAll: boolean;
}

/**
 * Access of every client of a gateway without a file of keys: every project is open. Such a gateway listens only on
 * loopback.
 */
export const openAccess: ClientAccess = {
  name: undefined,
  mayUse: () => true,
  projects: undefined,
  mayApprove: true,
  mayUseAll: true,
};

const ACCESS = 'access';

/** Notes what the client of a request may do, for `accessOf`. Called by the middleware of `createAuthentication`. */
export const grantAccess = (req: Request, access: ClientAccess): void => {
  if (req.res) req.res.locals[ACCESS] = access;
};

/**
 * Returns what the client of a request may do. Throws Error for a request that was not authenticated: a route that is
 * mounted outside the authentication is a defect, and must let nobody in.
 */
export const accessOf = (req: Request): ClientAccess => {
  const access = req.res?.locals[ACCESS] as ClientAccess | undefined;
  if (access) return access;
  throw new Error(`${req.method} ${req.path} is answered without authentication`);
};

/**
 * Returns the name of the API key with which a request was authenticated. Returns undefined for a request without a
 * key, or before it is authenticated.
 */
export const keyNameOf = (res: Response): string | undefined =>
  (res.locals[ACCESS] as ClientAccess | undefined)?.name;

/**
 * Throws `forbidden` if the client may not use a project. Call it before anything is started or changed in the project.
 */
export const requireProject = (req: Request, projectId: string): void => {
  if (isVisible(req, projectId)) return;
  throw new ApiError('forbidden', `This key does not open the project ${projectId}.`);
};

/**
 * Reports whether anything of a project may be shown to the client. If not, a route that is given an id answers as for
 * an unknown one, so that ids cannot be probed.
 */
export const isVisible = (req: Request, projectId: string): boolean => accessOf(req).mayUse(projectId);

/** Throws `forbidden` if the client may not reply to input requests. Call it before the client's reply is passed on. */
export const requireApprover = (req: Request): void => {
  if (!accessOf(req).mayApprove) throw new ApiError('forbidden', 'This key may not reply to what turns ask.');
};

/**
 * Throws `not_found` if the client may not use a project, as if the project did not exist. Call it before a list of the
 * project is read, or one of its conversations is read or changed.
 */
export const requireVisible = (req: Request, projectId: string): void => {
  if (!isVisible(req, projectId)) throw new ApiError('not_found', `There is no project ${projectId}.`);
};

/**
 * Returns the client for which limits count: an API key, wherever it is used from, or the address of a client without a
 * key (`countedAddress`).
 */
export const clientOf = (req: Request): string => {
  const { name } = accessOf(req);
  return name === undefined ? `address ${countedAddress(req.ip)}` : `key ${name}`;
};

/** Returns the client that events name as the author of a reply or a message. */
export const actorOf = (req: Request): InputActor => {
  const { name } = accessOf(req);
  return name === undefined ? { kind: 'local' } : { kind: 'key', name };
};

/**
 * Returns the owner for which slots, stored bytes and costs are counted, over all gateways: the name of the key, or
 * `local` for all clients without a key.
 */
export const ownerOf = (req: Request): string => accessOf(req).name ?? 'local';
