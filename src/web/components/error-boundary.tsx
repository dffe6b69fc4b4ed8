import { Component, type ReactNode } from 'react';
import { Problem } from './problem.tsx';

/** Shows an error in place of children that cannot be rendered, so that the rest of the page stays usable. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly hasFailed: boolean }
> {
  override readonly state = { hasFailed: false };

  /** Returns the state after a child has thrown. React calls it. */
  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return <Problem failure={{ message: 'This part cannot be shown.' }} />;
  }
}
