import { Component, type ReactNode, Suspense } from "react";
import { messages } from "../i18n";
import { toast } from "../toast";

interface OptionalProps {
  /** What stands here until the part has come, and when it does not. */
  fallback?: ReactNode;
  /** Given where somebody asked for the part: takes the question back. They are told that a reload brings it. */
  onLost?: () => void;
  children: ReactNode;
}

/** Around a part that the page can do without and whose code comes later: without it the page stands as it is. */
export class Optional extends Component<OptionalProps, { lost: boolean }> {
  override state = { lost: false };

  static getDerivedStateFromError() {
    return { lost: true };
  }

  override componentDidCatch() {
    const { onLost } = this.props;
    if (!onLost) return;
    onLost();
    toast.error(messages("frame")("newer"));
  }

  override render() {
    const { fallback, children } = this.props;
    return this.state.lost ? fallback : <Suspense fallback={fallback}>{children}</Suspense>;
  }
}
