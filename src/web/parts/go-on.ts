/** Where somebody goes on who has said something: on the line on which messages are written. */

/** Whoever touches a screen would have a keyboard come up over what is read. */
let hasTouched = false;
addEventListener('pointerdown', ({ pointerType }) => (hasTouched = pointerType === 'touch'), true);
addEventListener('keydown', () => (hasTouched = false), true);

/** Gives the line the focus, if the page has one. Returns whether whoever goes by keys has a place then. */
export const goOn = (): boolean => {
  const line = document.querySelector<HTMLElement>('.composer textarea');
  if (line === null) return false;
  if (!hasTouched) line.focus({ preventScroll: true });
  return true;
};
