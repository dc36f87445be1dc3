import { Component, type ReactNode } from "react";
import { useLocation } from "@/shared/router";
import { ErrorPage } from "./ErrorPage";

interface BoundaryProps {
  /** A page that broke is left behind with its address. */
  address: string;
  children: ReactNode;
}

interface BoundaryState {
  error: unknown;
  broken: boolean;
}

class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null, broken: false };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error, broken: true };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.broken && before.address !== this.props.address)
      this.setState({ error: null, broken: false });
  }

  override render() {
    return this.state.broken ? <ErrorPage error={this.state.error} /> : this.props.children;
  }
}

/** What breaks inside is said in its place; the rest of the site stands, and another address is another try. */
export function ErrorBoundary({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return <Boundary address={pathname}>{children}</Boundary>;
}
