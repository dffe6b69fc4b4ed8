import { z } from 'zod';
import { type SignInResponse, signInResponseSchema } from '../../contracts/http/sign-in-api.ts';
import { sendRequest, type GatewayResult, SIGN_IN_PATH } from './gateway-request.ts';
import { announceSignOut } from './sign-out.ts';

/**
 * Reads who is signed in by the cookie of this browser. Fails with `unauthorized` if the gateway requires a valid
 * cookie and there is none.
 */
export const readSignIn = (): Promise<GatewayResult<SignInResponse>> =>
  sendRequest(signInResponseSchema, 'GET', SIGN_IN_PATH);

/** Makes the gateway set a cookie that authenticates as this API key. */
export const signIn = (key: string): Promise<GatewayResult<SignInResponse>> =>
  sendRequest(signInResponseSchema, 'POST', SIGN_IN_PATH, { key });

/** Makes the gateway remove the cookie, and reports the sign-out to the page, even if the gateway did not answer. */
export const signOut = async (): Promise<void> => {
  await sendRequest(z.undefined(), 'DELETE', SIGN_IN_PATH);
  announceSignOut();
};
