import { z } from 'zod';

/** Body of `POST /api/sign-in`: the API key for which the browser is to get a cookie. */
export const signInBodySchema = z.object({
  key: z.string().max(512).describe('An API key, as programs send it in `Authorization`.'),
});

/** Answer of `POST` and `GET /api/sign-in`: the client's name, and what is open to it. */
export const signInAnswerSchema = z.object({
  name: z.string().nullable().describe('Of the API key; null where none are asked for.'),
  projects: z.array(z.string()).nullable().describe('Those that it opens; null: every one.'),
  approves: z.boolean().describe('It may reply to what turns ask.'),
});
export type SignInAnswer = z.infer<typeof signInAnswerSchema>;
