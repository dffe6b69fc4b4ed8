import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { InputActor } from '../../contracts/wire/input-events.ts';
import { ApiError } from '../errors/api-error.ts';

/** The rights of a request's client (docs/http-api.md, API keys). */
export interface ClientAccess {
  /** Name of its key, for logs and limits; undefined while no keys are asked for. */
  readonly name: string | undefined;
  allows(projectId: string): boolean;
  /** The projects that it allows; undefined: every one. */
  readonly projects: readonly string[] | undefined;
  /** Whether the client may reply to what turns ask. */
  readonly approves: boolean;
  /** The largest cost of its turns on a UTC day, in whole millionths; absent: no limit. */
  readonly costPerDay?: number;
  /** Every project is open to it: whoever has it runs the gateway. */
  readonly allowsAll: boolean;
}

/**
 * Access of every client where there is no file of keys: the gateway then listens on loopback alone, and every project
 * is open.
 */
export const openAccess: ClientAccess = {
  name: undefined,
  allows: () => true,
  projects: undefined,
  approves: true,
  allowsAll: true,
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

/** Name of the key that an answer is given to; undefined without one, and before it is known. */
export const keyNameOf = (res: Response): string | undefined =>
  (res.locals[ACCESS] as ClientAccess | undefined)?.name;

/** Asked before anything is started or changed in a project. Throws `forbidden`. */
export const requireProject = (req: Request, projectId: string): void => {
  if (isVisible(req, projectId)) return;
  throw new ApiError('forbidden', `This key does not open the project ${projectId}.`);
};

/**
 * Asked before anything of a project is shown. A route answers no as it answers an unknown id, so that ids cannot be
 * probed.
 */
export const isVisible = (req: Request, projectId: string): boolean => accessOf(req).allows(projectId);

/** Asked before a request of a turn is answered. Throws `forbidden`. */
export const requireApprover = (req: Request): void => {
  if (!accessOf(req).approves) throw new ApiError('forbidden', 'This key may not reply to what turns ask.');
};

/** Asked before a list of a project is shown: a foreign project is one that does not exist. Throws `not_found`. */
export const requireVisible = (req: Request, projectId: string): void => {
  if (!isVisible(req, projectId)) throw new ApiError('not_found', `There is no project ${projectId}.`);
};

/** Whom limits count: the key, wherever it is used from, or the address of a client without one. */
export const clientOf = (req: Request): string => {
  const { name } = accessOf(req);
  // An IPv6 client owns a whole subnet of addresses.
  return name === undefined ? `address ${ipKeyGenerator(req.ip ?? '')}` : `key ${name}`;
};

/** Whom events name for what a client replies and says. */
export const actorOf = (req: Request): InputActor => {
  const { name } = accessOf(req);
  return name === undefined ? { kind: 'local' } : { kind: 'key', name };
};

/** Whom slots and stored bytes are counted for, over all gateways: the key by its name, or everybody without keys. */
export const ownerOf = (req: Request): string => accessOf(req).name ?? 'local';
