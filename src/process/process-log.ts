import { pino, type DestinationStream, type Logger } from 'pino';

/**
 * Headers whose values are left out of logs, at the depths of `PLACES`. No code logs headers on purpose, but an error
 * of a library may contain some.
 */
const SECRET_HEADERS = ['authorization', 'cookie', '["set-cookie"]', '["proxy-authorization"]'];
const PLACES = ['headers', '*.headers', '*.*.headers'];
const SECRET_PATHS = PLACES.flatMap((place) =>
  SECRET_HEADERS.map((header) => (header.startsWith('[') ? `${place}${header}` : `${place}.${header}`)),
);

/**
 * Creates the log of a process. It writes JSON lines that name the role of the process, without the headers of
 * `SECRET_HEADERS`, to stdout or to `to`.
 */
export const createProcessLog = (role: string, level: string, to?: DestinationStream): Logger => {
  const options = { level, base: { role }, redact: { paths: SECRET_PATHS, censor: '[redacted]' } };
  return to === undefined ? pino(options) : pino(options, to);
};
