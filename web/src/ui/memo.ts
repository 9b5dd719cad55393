/** A component that draws again only when a property is another value. */
import { Component, type ComponentType, type FunctionComponent, h } from "preact";

export function memo<P extends object>(Inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const now = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => now[name] !== value);
    }
    override render() {
      return h(Inner, this.props);
    }
  };
}
