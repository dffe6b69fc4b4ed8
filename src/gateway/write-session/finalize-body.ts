import { finalizeBodySchema } from '../../contracts/http/write-sessions.ts';
import { parseRequest } from '../requests/validation.ts';
import type { JsonContent } from './json-content.ts';
import { writeInvalid } from './write-errors.ts';

/** Decoded content of a JSON body; when it ends, the body was read to its end. Throws ApiError. */
export async function* contentOf(
  json: JsonContent,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield* json.take(chunk);
}

/** What a finalize asks for: content that was taken out of the body, the session's draft, or an empty file. */
export interface FinalizeBody {
  readonly sessionId: string;
  readonly source: 'content' | 'draft' | 'empty';
}

/** The session that a body names before its content; it may also come behind it. */
export const earlySessionId = (json: JsonContent): string | undefined => {
  const named = finalizeBodySchema.pick({ session_id: true }).safeParse(json.fieldsBefore());
  return named.success ? named.data.session_id : undefined;
};

/** Judges a body that was read to its end. Throws `validation_failed`. */
export const readFinalize = (json: JsonContent): FinalizeBody => {
  const { session_id, content, draft, empty } = parseRequest(finalizeBodySchema, json.fields(), 'body', {
    refuse: writeInvalid,
  });
  const sources = [
    ...(content === undefined ? [] : (['content'] as const)),
    ...(draft === true ? (['draft'] as const) : []),
    ...(empty === true ? (['empty'] as const) : []),
  ];
  const [source, other] = sources;
  if (source === undefined) {
    throw writeInvalid([
      { field: 'content', expected: 'text, or "draft": true instead', received: 'nothing' },
    ]);
  }
  if (other !== undefined) {
    throw writeInvalid([{ field: other, expected: `nothing beside ${source}`, received: 'true' }]);
  }
  return { sessionId: session_id, source };
};
