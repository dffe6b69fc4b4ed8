/** Edited arguments that requests of tests refuse. */
export const REFUSED_EDIT = '{"path":"refused"}';

/** The `refusalFor` of such requests: returns why a call with these arguments may not run, or undefined if it may. */
export const refuseEdit = (argumentsText: string): string | undefined =>
  argumentsText === REFUSED_EDIT ? 'this path is refused' : undefined;
