import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Webhook } from 'standardwebhooks';
import type { Notification } from '../contracts/inputs/notification.ts';
import { lookupPublic, requirePublicHost } from './webhook-address.ts';

/** Milliseconds that a receiver may take, from the look-up of its name to its status. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** The address that messages are sent to, and how they are signed. */
export interface WebhookSettings {
  /** An https address, or an http address of this machine. */
  readonly url: URL;
  /** The secret as `whsec_…`, where the rest is the key in base64. */
  readonly secret: string;
  /** True when addresses that are not public are allowed. */
  readonly allowsPrivateAddresses: boolean;
}

/**
 * Sends one message once. Resolves to the receiver's HTTP status, whatever it is. Rejects if no status came in time, or
 * with ForbiddenAddressError if the address may not be used.
 */
export type SendWebhook = (message: Notification, signal: AbortSignal) => Promise<number>;

/**
 * Creates a client of one receiver, by Standard Webhooks 1.0 (docs/notifications.md). It follows no redirects, and
 * reads nothing of a response except the status. `timeoutMs` is how long the receiver may take, in milliseconds.
 */
export const createWebhookClient = (
  settings: WebhookSettings,
  timeoutMs = RESPONSE_TIMEOUT_MS,
): SendWebhook => {
  const { url, secret, allowsPrivateAddresses } = settings;
  const signer = new Webhook(secret);
  return async ({ webhookId, body, createdAt }, signal) => {
    if (!allowsPrivateAddresses) requirePublicHost(url.hostname);
    const text = JSON.stringify({ type: body.type, timestamp: createdAt.toISOString(), data: body.data });
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'user-agent': 'Orion',
      'webhook-id': webhookId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signer.sign(webhookId, now, text),
    };
    const endSignal = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const options = { method: 'POST', headers, agent: false, signal: endSignal } as const;
    return post(url, { ...options, ...(!allowsPrivateAddresses && { lookup: lookupPublic }) }, text);
  };
};

const post = (url: URL, options: RequestOptions, text: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      // The receiver's body is not read, however long it is.
      request.destroy();
    });
    request.once('error', reject);
    request.end(text);
  });
