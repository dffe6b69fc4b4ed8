import { useEffect, useRef } from 'react';

/** Pixels to the end, below which somebody reads along. */
const NEAR_PX = 120;

/** Keeps a scrolling element at its end while it grows, unless its reader has scrolled away from there. */
export const useBottom = (): React.RefObject<HTMLDivElement | null> => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const scrolled = place.current;
    const grown = scrolled?.firstElementChild;
    if (!scrolled || !grown) return undefined;
    let isNear = true;
    const onScroll = (): void => {
      isNear = scrolled.scrollHeight - scrolled.scrollTop - scrolled.clientHeight < NEAR_PX;
    };
    const watcher = new ResizeObserver(() => {
      if (isNear) scrolled.scrollTop = scrolled.scrollHeight;
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
