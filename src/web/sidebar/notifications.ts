/* Notifications of the browser, for a person who has allowed them and is looking at something else. */
import type { InputList } from '../../contracts/http/input-api.ts';
import { inputRequestWords } from '../input-requests/input-request-words.ts';
import { writeAddress } from '../route/address.ts';

/** Reports whether the browser can still ask the person to allow notifications. */
export const canAskToNotify = (): boolean => areSupported() && Notification.permission === 'default';

/** Reports whether the person has allowed this browser to show notifications. */
export const mayNotify = (): boolean => areSupported() && Notification.permission === 'granted';

/** Lets the browser ask whether it may show notifications. Resolves once the person has chosen. */
export const askToNotify = async (): Promise<void> => {
  await Notification.requestPermission();
};

const notified = new Set<string>();

/**
 * Notifies the person of each request that was not among the requests of an earlier call, if the page is hidden and may
 * notify. A visible page shows the request itself.
 */
export const notifyAbout = (inputs: InputList['inputs']): void => {
  for (const input of inputs) {
    const { inputId } = input;
    if (notified.has(inputId)) continue;
    notified.add(inputId);
    if (!document.hidden || !mayNotify()) continue;
    // The tag makes several tabs show only one notification.
    const notification = new Notification('Orion needs you', {
      body: inputRequestWords(input),
      tag: inputId,
    });
    notification.addEventListener('click', () => {
      focus();
      const { projectId, conversationId, turnId } = input;
      location.assign(writeAddress({ projectId, conversationId, turnId }));
      notification.close();
    });
  }
};

/** Reports whether the browser has notifications, which it offers only to pages of this machine or over TLS. */
const areSupported = (): boolean => 'Notification' in globalThis && isSecureContext;
