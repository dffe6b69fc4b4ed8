/* The words in which a request to a person is shown. All functions here are pure. */
import { toolAction } from '../../contracts/tools/tool-name.ts';
import type { InputRequested, InputResolved } from '../../contracts/wire/input-events.ts';
import { callPath, callSubject } from '../turn/call-words.ts';

/** The fields of a request from which its words are made. */
type RequestSubject = Pick<InputRequested, 'kind' | 'message' | 'tool' | 'target' | 'arguments'>;

/**
 * Returns the words in which a request is put to a person. An approval is asked for with the short name of its tool:
 * `May run_command run “npm test”?` Other requests have their own message.
 */
export const inputRequestWords = (request: RequestSubject): string => {
  const { kind, message, tool, arguments: argumentsText = '' } = request;
  if (kind !== 'approval' || tool === undefined) return message;
  const path = subjectPath(request);
  const subject = callSubject(argumentsText);
  const about = path === undefined ? subject && ` “${subject}”` : ` on ${path}`;
  return `May ${toolAction(tool)} run${about}?`;
};

/** Returns an approval in a few words, such as `run_command npm test`, and the message of any other request. */
export const briefInputRequestWords = (request: RequestSubject): string => {
  const { kind, message, tool, arguments: argumentsText = '' } = request;
  if (kind !== 'approval' || tool === undefined) return message;
  return `${toolAction(tool)} ${subjectPath(request) ?? callSubject(argumentsText)}`.trim();
};

/**
 * Returns the request as it was allowed. After the reply `edit`, it has the edited arguments and neither diff nor
 * target, because these belong to the original arguments.
 */
export const allowedRequest = (
  request: InputRequested,
  resolution: InputResolved | undefined,
): InputRequested => {
  if (resolution?.arguments === undefined) return request;
  const { diff: _diff, target: _target, ...asked } = request;
  return { ...asked, arguments: resolution.arguments };
};

/** Returns the path that a call is about, or undefined if it is about none. */
const subjectPath = ({ target, arguments: argumentsText = '' }: RequestSubject): string | undefined =>
  target ?? callPath(argumentsText);
