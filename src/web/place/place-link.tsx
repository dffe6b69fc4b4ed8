import type { MouseEvent, ReactNode } from 'react';
import { type Place, writeAddress } from './address.ts';

interface PlaceLinkProps {
  readonly place: Place;
  readonly onNavigate: (place: Place) => void;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link like any other: a click with a modifier opens another tab. */
export const PlaceLink = ({ place, onNavigate, isCurrent = false, className, children }: PlaceLinkProps) => {
  const onClick = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    document.querySelector<HTMLElement>('.sidebar:popover-open')?.hidePopover();
    onNavigate(place);
  };
  const current = isCurrent && { 'aria-current': 'page' as const };
  return (
    <a href={writeAddress(place)} className={className} onClick={onClick} {...current}>
      {children}
    </a>
  );
};
