import type { MouseEvent, ReactNode } from 'react';
import { type PageRoute, writeAddress } from './address.ts';

interface RouteLinkProps {
  readonly route: PageRoute;
  readonly onNavigate: (route: PageRoute) => void;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/**
 * A link to a route. A plain click changes the route within the page. A click with Ctrl, Shift or the command key is
 * left to the browser, which opens another tab or window.
 */
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
