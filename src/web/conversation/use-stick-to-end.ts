import { useCallback, useEffect, useRef } from 'react';

/** A reader who is fewer pixels than this from the end follows what is added there. */
const NEAR_PX = 120;

/** A visible element. `top` is how many pixels its top lies below the top of the scrolling element. */
interface Anchor {
  readonly element: Element;
  readonly top: number;
}

interface StickToEnd {
  /** A ref for the scrolling element, whose only child grows. */
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  /** Scrolls to the end, and keeps it visible while the content grows. */
  readonly scrollToEnd: () => void;
}

/**
 * Keeps a scrolling element at its end while its content grows. Once the reader has scrolled away from the end, visible
 * content keeps its place, whatever is added above it. The browser's own scroll anchoring is not enough: Safari has
 * none, and Chromium's failed when messages and answers were added above the first exchange.
 */
export const useStickToEnd = (): StickToEnd => {
  const scroller = useRef<HTMLDivElement>(null);
  const follower = useRef<ScrollFollower>(undefined);
  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return undefined;
    const newFollower = new ScrollFollower(element, content);
    follower.current = newFollower;
    const onScroll = (): void => newFollower.noteScroll();
    const watcher = new ResizeObserver(() => newFollower.follow());
    element.addEventListener('scroll', onScroll, { passive: true });
    watcher.observe(content);
    return () => {
      element.removeEventListener('scroll', onScroll);
      watcher.disconnect();
    };
  }, []);
  const scrollToEnd = useCallback((): void => follower.current?.goToEnd(), []);
  return { scroller, scrollToEnd };
};

/** Keeps the scroll position that the reader has chosen in an element that scrolls and grows. */
class ScrollFollower {
  readonly #scroller: HTMLElement;
  readonly #content: Element;
  #isNearEnd = true;
  /** The last known scroll position, whether the reader or this class moved it there. */
  #knownTop: number;
  /** The elements at the top of the visible part, the innermost one first. Empty near the end. */
  #anchors: readonly Anchor[] = [];

  constructor(scroller: HTMLElement, content: Element) {
    this.#scroller = scroller;
    this.#content = content;
    this.#knownTop = scroller.scrollTop;
  }

  /** Notes a scroll event, unless this class has caused it. */
  noteScroll(): void {
    // The position is the one that this class has set last. The content may have grown since, so its distance to the
    // end says nothing about the reader.
    if (this.#scroller.scrollTop === this.#knownTop) return;
    this.#knownTop = this.#scroller.scrollTop;
    this.#isNearEnd = this.#toEndPx() < NEAR_PX;
    this.#anchors = this.#isNearEnd ? [] : anchorsIn(this.#scroller, this.#content);
  }

  /** Restores the position of the reader after the content has changed its size. */
  follow(): void {
    const isMoved = this.#scroller.scrollTop !== this.#knownTop;
    // If the content became shorter, the browser has scrolled by itself, and is at the end.
    if (this.#isNearEnd && (!isMoved || this.#toEndPx() < NEAR_PX)) return this.goToEnd();
    // If the position has changed without a scroll event yet, a link or the reader has just moved it. It then stays.
    if (!isMoved) this.#keepInSight();
  }

  goToEnd(): void {
    this.#isNearEnd = true;
    this.#anchors = [];
    this.#moveTo(this.#scroller.scrollHeight);
  }

  #keepInSight(): void {
    // An element that was rendered anew is gone, but one around it is still there.
    const anchor = this.#anchors.find(({ element }) => this.#content.contains(element));
    if (anchor) this.#moveTo(this.#knownTop + topIn(this.#scroller, anchor.element) - anchor.top);
  }

  #moveTo(top: number): void {
    this.#scroller.scrollTop = top;
    this.#knownTop = this.#scroller.scrollTop;
  }

  #toEndPx(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight;
  }
}

const topIn = (scroller: Element, element: Element): number =>
  element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;

/**
 * Returns the first visible element and, as long as an element begins above the edge, the first visible element within
 * it. The innermost one comes first.
 */
const anchorsIn = (scroller: Element, content: Element): readonly Anchor[] => {
  const anchors: Anchor[] = [];
  const edge = scroller.getBoundingClientRect().top;
  let parent: Element | undefined = content;
  while (parent) {
    const element: Element | undefined = [...parent.children].find(
      (child) => !child.matches('.more, .hidden') && child.getBoundingClientRect().bottom > edge,
    );
    if (!element) break;
    const top = topIn(scroller, element);
    anchors.unshift({ element, top });
    parent = top < 0 ? element : undefined;
  }
  return anchors;
};
