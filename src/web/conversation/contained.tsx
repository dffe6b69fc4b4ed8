import { Component, type ReactNode } from 'react';
import { Problem } from '../parts/problem.tsx';

/** Shows an error in the place of a part that cannot be drawn; the rest of the page stays. */
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
