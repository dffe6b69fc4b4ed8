/** Notifications of the browser, for whoever has allowed them and looks elsewhere. */
import type { InputList } from '../../contracts/http/input-api.ts';
import { writeAddress } from '../place/address.ts';

/** Browsers offer them to pages of this machine or over TLS alone. */
const areOffered = (): boolean => 'Notification' in globalThis && isSecureContext;

/** Nobody has chosen yet whether this browser may show notifications. */
export const canAskToNotify = (): boolean => areOffered() && Notification.permission === 'default';

/** This browser may show notifications: somebody has allowed them. */
export const mayNotify = (): boolean => areOffered() && Notification.permission === 'granted';

/** Has the browser ask whether it may show notifications. Resolves once somebody has chosen. */
export const askToNotify = async (): Promise<void> => {
  await Notification.requestPermission();
};

const told = new Set<string>();

/** Tells of each request once, unless the page is in sight, which shows it. */
export const notifyOf = (inputs: InputList['inputs']): void => {
  for (const { inputId, message, ...place } of inputs) {
    if (told.has(inputId)) continue;
    told.add(inputId);
    if (!document.hidden || !mayNotify()) continue;
    // Several tabs show one.
    const shown = new Notification('Orion needs you', { body: message, tag: inputId });
    shown.addEventListener('click', () => {
      focus();
      location.assign(writeAddress(place));
      shown.close();
    });
  }
};
