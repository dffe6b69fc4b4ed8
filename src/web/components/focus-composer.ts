/**
 * True if the last input was a touch. The focus would then open the screen keyboard over the text that a person reads.
 */
let hasTouched = false;
addEventListener('pointerdown', ({ pointerType }) => (hasTouched = pointerType === 'touch'), true);
addEventListener('keydown', () => (hasTouched = false), true);

/**
 * Focuses the field in which messages are written, unless the last input was a touch. Returns true when the page has
 * such a field, even if it was not focused.
 */
export const focusComposer = (): boolean => {
  const field = document.querySelector<HTMLElement>('.composer textarea');
  if (field === null) return false;
  if (!hasTouched) field.focus({ preventScroll: true });
  return true;
};
