/* Notifications of the browser, for a person who has allowed them and looks elsewhere. */
import type { InputList } from '../../contracts/http/input-api.ts';
import { requestWords } from '../turn/request-words.ts';
import { writeAddress } from '../route/address.ts';

/** Browsers offer notifications only to pages of this machine or over TLS. */
const areSupported = (): boolean => 'Notification' in globalThis && isSecureContext;

/** Tells if the person has not chosen yet whether this browser may show notifications. */
export const canAskToNotify = (): boolean => areSupported() && Notification.permission === 'default';

/** Tells if this browser may show notifications, since the person has allowed them. */
export const mayNotify = (): boolean => areSupported() && Notification.permission === 'granted';

/** Lets the browser ask whether it may show notifications. Resolves once the person has chosen. */
export const askToNotify = async (): Promise<void> => {
  await Notification.requestPermission();
};

const notified = new Set<string>();

/** Notifies of each request once, unless the page is in sight, which shows it. */
export const notifyAbout = (inputs: InputList['inputs']): void => {
  for (const input of inputs) {
    const { inputId } = input;
    if (notified.has(inputId)) continue;
    notified.add(inputId);
    if (!document.hidden || !mayNotify()) continue;
    // Several tabs show only one notification, by its tag.
    const shown = new Notification('Orion needs you', { body: requestWords(input), tag: inputId });
    shown.addEventListener('click', () => {
      focus();
      const { projectId, conversationId, turnId } = input;
      location.assign(writeAddress({ projectId, conversationId, turnId }));
      shown.close();
    });
  }
};
