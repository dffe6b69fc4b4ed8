import { z } from 'zod';

/** Body of `POST /api/sign-in`: the API key for which the browser is to get a cookie. */
export const signInBodySchema = z.object({
  key: z.string().max(512).describe('The API key for which the browser gets a cookie.'),
});

/** Response to `POST` and `GET /api/sign-in`: the name of the client's API key, and what the key may do. */
export const signInResponseSchema = z.object({
  name: z.string().nullable().describe('Name of the API key. Null if this gateway requires none.'),
  projects: z.array(z.string()).nullable().describe('Projects that the key may use. Null if it may use all.'),
  approves: z.boolean().describe('True if the key may reply to input requests.'),
});
export type SignInResponse = z.infer<typeof signInResponseSchema>;
