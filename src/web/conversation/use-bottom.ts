import { useEffect, useRef } from 'react';

/** Pixels to the end within which a person counts as reading along. */
const NEAR_PX = 120;

/**
 * Keeps a scrolling element at its end while it grows, unless its reader has scrolled away from there: then what is in
 * sight stays where it is, whatever comes above it.
 */
export const useBottom = (): React.RefObject<HTMLDivElement | null> => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const scrolled = place.current;
    const grown = scrolled?.firstElementChild;
    if (!scrolled || !grown) return undefined;
    let isNear = true;
    let at = scrolled.scrollTop;
    const onScroll = (): void => {
      // The event of our own scroll below; the list may have grown since.
      if (scrolled.scrollTop === at) return;
      at = scrolled.scrollTop;
      isNear = scrolled.scrollHeight - at - scrolled.clientHeight < NEAR_PX;
      scrolled.style.overflowAnchor = isNear ? 'none' : 'auto';
    };
    const watcher = new ResizeObserver(() => {
      // A person who jumps elsewhere is there before the event tells us.
      if (!isNear || scrolled.scrollTop !== at) return;
      scrolled.scrollTop = scrolled.scrollHeight;
      at = scrolled.scrollTop;
    });
    scrolled.addEventListener('scroll', onScroll, { passive: true });
    watcher.observe(grown);
    return () => {
      scrolled.removeEventListener('scroll', onScroll);
      watcher.disconnect();
    };
  }, []);
  return place;
};
