// wouter's, but for what it does not do: leave a link with a `target` to the browser, tell who listens of a press with a
// key held, which opens another tab, and say where the reader is.
import type { ComponentProps } from "react";
import { useRoute, Link as WouterLink } from "wouter";
import type { NavigateOptions } from "./location";

type AnchorProps = ComponentProps<"a">;

export interface LinkProps extends Omit<AnchorProps, "href">, NavigateOptions {
  /** An address of ours. */
  to: string;
}

/** `href` and `onClick` are wouter's. */
function Anchor({ listener, href, onClick, ...rest }: AnchorProps & { listener: AnchorProps["onClick"] }) {
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        listener?.(event);
        if (["", "_self"].includes(event.currentTarget.target)) onClick?.(event);
      }}
    />
  );
}

/** To another page without loading the app anew. To where the reader is already, it is no new entry of the history. */
export function Link({ to, replace, state, onClick, ...rest }: LinkProps) {
  return (
    <WouterLink to={to} replace={replace} state={state} asChild>
      <Anchor {...rest} listener={onClick} />
    </WouterLink>
  );
}

/** A link that says so where the reader is at its page, or at one below it. */
export function NavLink(props: LinkProps) {
  const [here] = useRoute(`${props.to}/*?`);
  return <Link {...props} aria-current={here ? "page" : undefined} />;
}
