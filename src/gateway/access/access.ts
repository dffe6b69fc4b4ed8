import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { InputActor } from '../../contracts/wire/input-events.ts';
import { ApiError } from '../errors/api-error.ts';

/** What the client of a request may do (docs/http-api.md, API keys). */
export interface ClientAccess {
  /** Name of its key, for logs and limits. Undefined if the gateway asks for no keys. */
  readonly name: string | undefined;
  mayUse(projectId: string): boolean;
  /** The projects that the client may use. Undefined means all of them. */
  readonly projects: readonly string[] | undefined;
  /** True when the client may reply to what turns ask. */
  readonly mayApprove: boolean;
  /** The largest cost of its turns on a UTC day, in whole millionths. Absent means no limit. */
  readonly costPerDay?: number;
  /** True when the client may use every project: it then runs the gateway. */
  readonly mayUseAll: boolean;
}

/**
 * Access of every client if there is no file of keys. The gateway then listens only on loopback, and every project is
 * open.
 */
export const openAccess: ClientAccess = {
  name: undefined,
  mayUse: () => true,
  projects: undefined,
  mayApprove: true,
  mayUseAll: true,
};

const ACCESS = 'access';

/** Notes what the client of a request may do, for `accessOf`. Called once per request, by `createAuthentication`. */
export const grantAccess = (req: Request, access: ClientAccess): void => {
  if (req.res) req.res.locals[ACCESS] = access;
};

/** Throws on a request that was not authenticated: a route outside the guard is a defect, and lets nobody in. */
export const accessOf = (req: Request): ClientAccess => {
  const access = req.res?.locals[ACCESS] as ClientAccess | undefined;
  if (access) return access;
  throw new Error(`${req.method} ${req.path} is answered without authentication`);
};

/** Returns the name of the key that an answer is given to; undefined without a key, and before it is known. */
export const keyNameOf = (res: Response): string | undefined =>
  (res.locals[ACCESS] as ClientAccess | undefined)?.name;

/**
 * Throws `forbidden` if a project is foreign to the client. It is called before anything is started or changed in the
 * project.
 */
export const requireProject = (req: Request, projectId: string): void => {
  if (isVisible(req, projectId)) return;
  throw new ApiError('forbidden', `This key does not open the project ${projectId}.`);
};

/**
 * Tells if anything of a project may be shown. Where it may not, a route answers as for an unknown id, so that ids
 * cannot be probed.
 */
export const isVisible = (req: Request, projectId: string): boolean => accessOf(req).mayUse(projectId);

/**
 * Throws `forbidden` if the client may not reply to what turns ask. It is called before a request of a turn is
 * answered.
 */
export const requireApprover = (req: Request): void => {
  if (!accessOf(req).mayApprove) throw new ApiError('forbidden', 'This key may not reply to what turns ask.');
};

/**
 * Throws `not_found` if a project is foreign to the client: such a project looks like one that does not exist. It is
 * called before a request reads a list of the project, or reads or changes one of its conversations.
 */
export const requireVisible = (req: Request, projectId: string): void => {
  if (!isVisible(req, projectId)) throw new ApiError('not_found', `There is no project ${projectId}.`);
};

/** Returns the client that limits count: a key, wherever it is used from, or the address of a client without one. */
export const clientOf = (req: Request): string => {
  const { name } = accessOf(req);
  // An IPv6 client owns a whole subnet of addresses, so the subnet is counted.
  return name === undefined ? `address ${ipKeyGenerator(req.ip ?? '')}` : `key ${name}`;
};

/** Returns the client that events name as the author of a reply or a message. */
export const actorOf = (req: Request): InputActor => {
  const { name } = accessOf(req);
  return name === undefined ? { kind: 'local' } : { kind: 'key', name };
};

/**
 * Returns the owner that slots and stored bytes are counted for, over all gateways: the key by its name, or one owner
 * for all clients without keys.
 */
export const ownerOf = (req: Request): string => accessOf(req).name ?? 'local';
