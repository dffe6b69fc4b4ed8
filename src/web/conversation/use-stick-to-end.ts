import { useCallback, useEffect, useRef } from 'react';

/** A reader who is fewer pixels than this from the end reads along. */
const NEAR_PX = 120;

/** An element in sight, and how many pixels its top lies below the top of the scrolling element. */
interface Anchor {
  readonly element: Element;
  readonly top: number;
}

interface StickToEnd {
  /** A ref for the scrolling element, whose only child grows. */
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  /** Goes to the end, and stays there as it grows. */
  readonly scrollToEnd: () => void;
}

/**
 * Keeps a scrolling element at its end while it grows. Once its reader has scrolled away from there, what is in sight
 * stays where it is, whatever is added above it. The browser's own scroll anchoring is not enough: Safari has none, and
 * Chromium's gave way when questions and answers were added above the first one.
 */
export const useStickToEnd = (): StickToEnd => {
  const scroller = useRef<HTMLDivElement>(null);
  const follower = useRef<ScrollFollower>(undefined);
  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return undefined;
    const created = new ScrollFollower(element, content);
    follower.current = created;
    const onScroll = (): void => created.noteScroll();
    const watcher = new ResizeObserver(() => created.follow());
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

/** Follows where its reader is in an element that scrolls and grows. */
class ScrollFollower {
  readonly #scroller: HTMLElement;
  readonly #content: Element;
  #isNearEnd = true;
  /** The last known scroll position, whether the reader or this class moved it there. */
  #at: number;
  /** The elements at the top of the part in sight, the innermost one first. */
  #anchors: readonly Anchor[] = [];

  constructor(scrolled: HTMLElement, grown: Element) {
    this.#scroller = scrolled;
    this.#content = grown;
    this.#at = scrolled.scrollTop;
  }

  /** Notes that the reader has scrolled, or that a link has scrolled the page. */
  noteScroll(): void {
    // The event is about a move of this class, and the element may have grown again since.
    if (this.#scroller.scrollTop === this.#at) return;
    this.#at = this.#scroller.scrollTop;
    this.#isNearEnd = this.#toEndPx() < NEAR_PX;
    this.#anchors = this.#isNearEnd ? [] : anchorsIn(this.#scroller, this.#content);
  }

  /** Goes on after the content has changed its size. */
  follow(): void {
    const isMoved = this.#scroller.scrollTop !== this.#at;
    // The browser has scrolled by itself if the content became shorter: then it is at its end.
    if (this.#isNearEnd && (!isMoved || this.#toEndPx() < NEAR_PX)) return this.goToEnd();
    // A reader who was led elsewhere is there before the scroll event comes.
    if (!isMoved) this.#keepInSight();
  }

  goToEnd(): void {
    this.#isNearEnd = true;
    this.#anchors = [];
    this.#moveTo(this.#scroller.scrollHeight);
  }

  #keepInSight(): void {
    // An element that was drawn anew is gone, but the one around it is still there.
    const anchor = this.#anchors.find(({ element }) => this.#content.contains(element));
    if (anchor) this.#moveTo(this.#at + topIn(this.#scroller, anchor.element) - anchor.top);
  }

  #moveTo(top: number): void {
    this.#scroller.scrollTop = top;
    this.#at = this.#scroller.scrollTop;
  }

  #toEndPx(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight;
  }
}

const topIn = (scrolled: Element, element: Element): number =>
  element.getBoundingClientRect().top - scrolled.getBoundingClientRect().top;

/** Finds the first element in sight; if it begins above the edge, the first one in sight within it comes before it. */
const anchorsIn = (scrolled: Element, grown: Element): readonly Anchor[] => {
  const anchors: Anchor[] = [];
  const edge = scrolled.getBoundingClientRect().top;
  let parent: Element | undefined = grown;
  while (parent) {
    const element: Element | undefined = [...parent.children].find(
      (child) => !child.matches('.more, .hidden') && child.getBoundingClientRect().bottom > edge,
    );
    if (!element) break;
    const top = topIn(scrolled, element);
    anchors.unshift({ element, top });
    parent = top < 0 ? element : undefined;
  }
  return anchors;
};
