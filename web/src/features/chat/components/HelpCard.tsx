import { LifeBuoy } from "lucide-react";
import { Fragment } from "react";
import { helpOf } from "../help";
import { useMessages } from "../i18n";

/** In place of a reply: people one can talk to. Not in the character's voice, and nothing to hurry. */
export function HelpCard({ content }: { content: string }) {
  const t = useMessages("turn");
  const { before, lines, after } = helpOf(content);
  return (
    <section className="help" aria-label={t("helpTitle")}>
      <h3>
        <LifeBuoy className="icon" />
        {t("helpTitle")}
      </h3>
      {before.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {lines.length > 0 && (
        <dl>
          {lines.map(({ name, contact, href }) => (
            <Fragment key={name + contact}>
              <dt>{name}</dt>
              <dd>
                <a
                  className="link num"
                  href={href}
                  {...(href.startsWith("http") && { target: "_blank", rel: "noreferrer" })}
                >
                  {contact}
                </a>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {after.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  );
}
