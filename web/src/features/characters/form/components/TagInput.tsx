import { Plus, X } from "lucide-react";
import { type FocusEvent, type KeyboardEvent, useRef, useState } from "react";
import { TAGS, tagName } from "@/shared/catalog/tags";
import { MAX_TAGS } from "@/shared/limits";
import { Field } from "@/shared/ui";
import { useMessages } from "../i18n";
import { MAX_CHARS, tagSlug } from "../schema";

interface TagInputProps {
  tags: readonly string[];
  onChange: (tags: string[]) => void;
  error?: string;
}

/** Known tags offered while one types. */
const OFFERED = 8;

/** Up to five tags: typed or picked, put back into the field to edit, removed by their cross. */
export function TagInput({ tags, onChange, error }: TagInputProps) {
  const t = useMessages("tags");
  const problem = useMessages("problem");
  const [text, setText] = useState("");
  const [full, setFull] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const slug = tagSlug(text);
  const offered = TAGS.filter((tag) => !tags.includes(tag) && (slug === "" || tag.includes(slug))).slice(
    0,
    OFFERED,
  );

  const add = (tag: string) => {
    if (tag === "" || tags.includes(tag)) {
      setText("");
      return;
    }
    if (tags.length >= MAX_TAGS) {
      setFull(true);
      return;
    }
    onChange([...tags, tag]);
    setText("");
  };
  const remove = (tag: string) => {
    setFull(false);
    onChange(tags.filter((other) => other !== tag));
  };
  const edit = (tag: string) => {
    setFull(false);
    // What was typed becomes a tag in the place of the one that is changed now.
    onChange(
      tags.flatMap((other) => (other !== tag ? other : slug === "" || tags.includes(slug) ? [] : slug)),
    );
    setText(tagName(tag));
    field.current?.focus();
  };
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    if ((event.key === "Enter" && !event.nativeEvent.isComposing) || event.key === ",") {
      event.preventDefault();
      add(slug);
    } else if (event.key === "Backspace" && text === "" && tags.length > 0) {
      edit(tags.at(-1) ?? "");
    }
  };

  /**
   * What was typed and not entered becomes a tag when one goes on. Only when the press that did so is over: the tag moves
   * what is below, and with it the button that is being pressed.
   */
  const left = ({ relatedTarget }: FocusEvent) => {
    if (slug === "" || box.current?.contains(relatedTarget)) return;
    const over = new AbortController();
    const take = ({ target }: Event) => {
      over.abort();
      if (box.current && !(target instanceof Node && box.current.contains(target))) add(slug);
    };
    for (const end of ["click", "keyup"])
      globalThis.addEventListener(end, take, { capture: true, signal: over.signal });
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: leaving it only takes what was typed.
    <div className="tag-input" ref={box} onBlur={left}>
      <Field
        label={t("label")}
        hint={t("hint", { count: MAX_TAGS })}
        error={full ? problem("tooManyTags", { count: MAX_TAGS }) : error}
      >
        {(control) => (
          <input
            {...control}
            ref={field}
            className="input"
            value={text}
            maxLength={MAX_CHARS.tag}
            onChange={(event) => {
              setText(event.target.value);
              setFull(false);
            }}
            onKeyDown={pressed}
            autoComplete="off"
          />
        )}
      </Field>
      {tags.length > 0 && (
        <ul className="chips" aria-label={t("chosen")}>
          {tags.map((tag) => (
            <li className="chip own-tag" key={tag}>
              <button type="button" onClick={() => edit(tag)} aria-label={t("edit", { tag: tagName(tag) })}>
                {tagName(tag)}
              </button>
              <button
                type="button"
                onClick={() => remove(tag)}
                aria-label={t("remove", { tag: tagName(tag) })}
              >
                <X className="icon s" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {offered.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend; the group has a name.
        <div className="chips" role="group" aria-label={t("suggested")}>
          {offered.map((tag) => (
            <button type="button" className="chip more" key={tag} onClick={() => add(tag)}>
              <Plus className="icon s" />
              {tagName(tag)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
