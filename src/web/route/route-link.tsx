import type { MouseEvent, ReactNode } from 'react';
import { type PageRoute, writeAddress } from './address.ts';

interface RouteLinkProps {
  readonly route: PageRoute;
  readonly onNavigate: (route: PageRoute) => void;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link like any other: a click with a modifier opens another tab. */
export const RouteLink = ({ route, onNavigate, isCurrent = false, className, children }: RouteLinkProps) => {
  const onClick = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    document.querySelector<HTMLElement>('.sidebar:popover-open')?.hidePopover();
    onNavigate(route);
  };
  const current = isCurrent && { 'aria-current': 'page' as const };
  return (
    <a href={writeAddress(route)} className={className} onClick={onClick} {...current}>
      {children}
    </a>
  );
};
