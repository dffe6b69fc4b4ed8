import { Component, type ReactNode } from 'react';
import { Problem } from '../parts/problem.tsx';

/** What cannot be drawn is said where it would stand; the rest of the page stays. */
export class Contained extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override readonly state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return <Problem failure={{ message: 'This part cannot be shown.' }} />;
  }
}
