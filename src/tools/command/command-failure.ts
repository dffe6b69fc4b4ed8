/** Thrown for a command that could not be started, was not allowed to begin, or was ended before it began. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}

/** Thrown for a command that has begun, but whose end nobody saw, because its sandbox failed or was killed. */
export class CommandLostError extends Error {
  override readonly name = 'CommandLostError';
}
