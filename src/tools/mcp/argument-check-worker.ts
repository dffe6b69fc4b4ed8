/*
 * Thread that checks arguments against a server's schema. It takes one question at a time, and answers with the
 * problems of the arguments.
 */
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { expectationOf } from '../../base/errors/zod-issue.ts';
import { MAX_ARGUMENT_PROBLEMS } from '../../contracts/tools/tool-call.ts';
import type { ArgumentIssue, ArgumentRequest } from './argument-check.ts';

const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Returns a JSON Schema as a schema of zod. If zod cannot read it, any value fits, and the check is left to the server.
 */
const schemaOf = (schema: ArgumentRequest['schema']): z.ZodType => {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return z.unknown();
  }
};

const argumentPath = (path: readonly PropertyKey[]): (string | number)[] =>
  path.map((key) => (typeof key === 'number' ? key : String(key)));

const issuesOf = (issue: z.core.$ZodIssue): ArgumentIssue[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({
        path: argumentPath([...issue.path, key]),
        message: 'expected no such argument',
      }))
    : [
        {
          path: argumentPath(issue.path),
          message: `expected ${expectationOf(issue)}`.slice(0, MAX_MESSAGE_CHARACTERS),
        },
      ];

const answer = ({ schema, args }: ArgumentRequest): ArgumentIssue[] => {
  const parsed = schemaOf(schema).safeParse(args);
  return parsed.success ? [] : parsed.error.issues.flatMap(issuesOf).slice(0, MAX_ARGUMENT_PROBLEMS);
};

const port = parentPort;
port?.on('message', (request: ArgumentRequest) => port.postMessage(answer(request), []));
