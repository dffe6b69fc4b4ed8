/*
 * Moves the focus for a person who uses the keyboard when the pressed element disappears or is disabled. Browsers would
 * otherwise begin again at the top of the page.
 */
import { focusComposer } from '../components/focus-composer.ts';

/** Matches the controls of a form or a group that can take the focus. */
const FIELDS = ':is(textarea, input, select, button):enabled';

/**
 * Watches `root`, and moves the focus when the element that has it is removed or disabled, unless a pointer was pressed
 * since that element got it. The focus goes to the nearest part around that element that still exists: the first
 * control of a form or group, a summary, or an element that can be focused itself. If there is none, it goes to the
 * field for messages, or to `main`.
 */
export const restoreLostFocus = (root: HTMLElement): void => {
  let lastFocused: Element | undefined;
  let ancestors: readonly Element[] = [];
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    lastFocused = target;
    ancestors = ancestorsOf(target, root);
  });
  // A click takes the focus away on purpose, unless it gives the focus to something else.
  root.addEventListener('pointerdown', () => (lastFocused = undefined));
  const restore = (): void => {
    if (lastFocused === undefined || (lastFocused.isConnected && !lastFocused.matches(':disabled'))) return;
    const { activeElement } = document;
    if (activeElement !== document.body && activeElement !== lastFocused) return;
    const targets = ancestors.filter((element) => element.isConnected).map(focusTargetIn);
    const target = targets.find((element) => element !== null && element !== lastFocused);
    lastFocused = undefined;
    if (target) target.focus({ preventScroll: true });
    else if (!focusComposer()) root.querySelector('main')?.focus({ preventScroll: true });
  };
  const options = { subtree: true, childList: true, attributeFilter: ['disabled'] };
  new MutationObserver(restore).observe(root, options);
};

const ancestorsOf = (element: Element, root: Element): readonly Element[] => {
  const ancestors: Element[] = [];
  for (let each = element.parentElement; each !== null && each !== root; each = each.parentElement) {
    ancestors.push(each);
  }
  return ancestors;
};

/**
 * Returns the part of an element that takes the focus when something in that element has lost it, or null if it has
 * none.
 */
const focusTargetIn = (element: Element): HTMLElement | null => {
  if (element.matches('form, fieldset, [role="group"]')) return element.querySelector(FIELDS);
  if (element.matches('details')) return element.querySelector('summary');
  // A conversation and its exchanges can take the focus, but a person could do nothing there.
  if (element.matches('main, .exchange, .scroll')) return null;
  return element instanceof HTMLElement && element.hasAttribute('tabindex') ? element : null;
};
