/*
 * Keeps the focus of a person who uses keys when the pressed element goes away or is disabled: browsers would then
 * begin at the top of the page.
 */

import { focusComposer } from '../components/focus-composer.ts';

/** Elements that can take the focus in a form or a group, first field first. */
const FIELDS = ':is(textarea, input, select, button):enabled';

/** Returns the part of an element that gets the focus when an element in it has lost it, or null if there is none. */
const focusTargetIn = (element: Element): HTMLElement | null => {
  if (element.matches('form, fieldset, [role="group"]')) return element.querySelector(FIELDS);
  if (element.matches('details')) return element.querySelector('summary');
  // A part of a conversation that cannot be used itself is no place to continue.
  if (element.matches('main, .exchange, .scroll')) return null;
  return element instanceof HTMLElement && element.hasAttribute('tabindex') ? element : null;
};

const ancestorsOf = (element: Element, root: Element): readonly Element[] => {
  const ancestors: Element[] = [];
  for (let each = element.parentElement; each !== null && each !== root; each = each.parentElement) {
    ancestors.push(each);
  }
  return ancestors;
};

/**
 * Moves the focus whenever the element that has it is removed or disabled. It goes to the nearest part around it that
 * is still there: a form's first field, a summary, or what may be focused itself. If there is none, it goes to the line
 * on which messages are written, or to `main`.
 */
export const restoreLostFocus = (root: HTMLElement): void => {
  let last: Element | undefined;
  let around: readonly Element[] = [];
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    last = target;
    around = ancestorsOf(target, root);
  });
  // A person who clicks beside everything wants no focus.
  root.addEventListener('pointerdown', () => (last = undefined));
  const restore = (): void => {
    if (last === undefined || (last.isConnected && !last.matches(':disabled'))) return;
    const { activeElement } = document;
    if (activeElement !== document.body && activeElement !== last) return;
    const homes = around.filter((element) => element.isConnected).map(focusTargetIn);
    const home = homes.find((element) => element !== null && element !== last);
    last = undefined;
    if (home) home.focus({ preventScroll: true });
    else if (!focusComposer()) root.querySelector('main')?.focus({ preventScroll: true });
  };
  const options = { subtree: true, childList: true, attributeFilter: ['disabled'] };
  new MutationObserver(restore).observe(root, options);
};
