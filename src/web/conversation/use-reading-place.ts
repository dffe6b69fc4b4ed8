import { useCallback, useEffect, useRef } from 'react';

/** A reader who is fewer pixels than this from the end reads along. */
const NEAR_PX = 120;

/** An element in sight, and how many pixels its top lies below the top of the scrolling element. */
interface Anchor {
  readonly element: Element;
  readonly top: number;
}

interface ReadingPlace {
  /** A ref for the scrolling element, whose only child grows. */
  readonly place: React.RefObject<HTMLDivElement | null>;
  /** Goes to the end, and stays there as it grows. */
  readonly toEnd: () => void;
}

/**
 * Keeps a scrolling element at its end while it grows. Once its reader has scrolled away from there, what is in sight
 * stays where it is, whatever is added above it. The browser's own scroll anchoring is not enough: Safari has none, and
 * Chromium's gave way when questions and answers were added above the first one.
 */
export const useReadingPlace = (): ReadingPlace => {
  const place = useRef<HTMLDivElement>(null);
  const reader = useRef<Reader>(undefined);
  useEffect(() => {
    const scrolled = place.current;
    const grown = scrolled?.firstElementChild;
    if (!scrolled || !grown) return undefined;
    const followed = new Reader(scrolled, grown);
    reader.current = followed;
    const onScroll = (): void => followed.noteScroll();
    const watcher = new ResizeObserver(() => followed.follow());
    scrolled.addEventListener('scroll', onScroll, { passive: true });
    watcher.observe(grown);
    return () => {
      scrolled.removeEventListener('scroll', onScroll);
      watcher.disconnect();
    };
  }, []);
  const toEnd = useCallback((): void => reader.current?.goToEnd(), []);
  return { place, toEnd };
};

/** Follows where its reader is in an element that scrolls and grows. */
class Reader {
  readonly #scrolled: HTMLElement;
  readonly #grown: Element;
  #isNear = true;
  /** The last known scroll position, whether the reader or this class moved it there. */
  #at: number;
  /** The elements at the top of the part in sight, the innermost one first. */
  #anchors: readonly Anchor[] = [];

  constructor(scrolled: HTMLElement, grown: Element) {
    this.#scrolled = scrolled;
    this.#grown = grown;
    this.#at = scrolled.scrollTop;
  }

  /** Takes note that the reader has scrolled, or was led elsewhere. */
  noteScroll(): void {
    // The event is about a move of this class, and the element may have grown again since.
    if (this.#scrolled.scrollTop === this.#at) return;
    this.#at = this.#scrolled.scrollTop;
    this.#isNear = this.#toEndPx() < NEAR_PX;
    this.#anchors = this.#isNear ? [] : anchorsIn(this.#scrolled, this.#grown);
  }

  /** Goes on after the content has changed its size. */
  follow(): void {
    const isMoved = this.#scrolled.scrollTop !== this.#at;
    // The browser has scrolled by itself if the content became shorter: then it is at its end.
    if (this.#isNear && (!isMoved || this.#toEndPx() < NEAR_PX)) return this.goToEnd();
    // A reader who was led elsewhere is there before the scroll event comes.
    if (!isMoved) this.#keepInSight();
  }

  goToEnd(): void {
    this.#isNear = true;
    this.#anchors = [];
    this.#moveTo(this.#scrolled.scrollHeight);
  }

  #keepInSight(): void {
    // An element that was drawn anew is gone, but the one around it is still there.
    const anchor = this.#anchors.find(({ element }) => this.#grown.contains(element));
    if (anchor) this.#moveTo(this.#at + topIn(this.#scrolled, anchor.element) - anchor.top);
  }

  #moveTo(top: number): void {
    this.#scrolled.scrollTop = top;
    this.#at = this.#scrolled.scrollTop;
  }

  #toEndPx(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scrolled;
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
