import { useQueries, useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { sized } from "@/shared/media";
import { Field, IconButton, Segmented } from "@/shared/ui";
import { findCharactersOptions, type Partner, partnerOptions } from "../api";
import { useMessages } from "../i18n";

/** Characters to choose from at once, and how many a lorebook can be for. */
const SHOWN = 5;
const MAX_CHARACTERS = 100;
/** A search begins once nothing was typed for this long, ms. */
const TYPING_MS = 300;

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function Face({ src }: { src: string | null }) {
  return (
    <span className="tile">
      {src && <img src={sized(src, "thumb")} alt="" width={48} height={64} decoding="async" />}
    </span>
  );
}

interface ForWhomProps {
  /** Ids; empty: every character. */
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}

/** Which characters may read a lorebook. */
export function ForWhom({ chosen, onChange }: ForWhomProps) {
  const t = useMessages("form");
  const [some, setSome] = useState(chosen.length > 0);
  const [typed, setTyped] = useState("");
  const words = useSettled(typed.trim());
  const { data: found = [] } = useQuery({ ...findCharactersOptions(words), enabled: some && words !== "" });
  const people = useQueries({ queries: chosen.map(partnerOptions) });
  const offered = found.filter(({ _id }) => !chosen.includes(_id)).slice(0, SHOWN);
  const add = ({ _id }: Partner) => {
    onChange([...chosen, _id]);
    setTyped("");
  };
  return (
    <div className="for-whom">
      <span className="label" id="for-whom">
        {t("forWhom")}
      </span>
      <Segmented
        label={t("forWhom")}
        value={some ? "some" : "all"}
        onChange={(which) => {
          setSome(which === "some");
          if (which === "all") onChange([]);
        }}
        options={[
          { value: "all", label: t("every") },
          { value: "some", label: t("some") },
        ]}
      />
      {some && (
        <>
          {chosen.length > 0 && (
            <ul className="who-list" aria-label={t("forThese")}>
              {chosen.map((id, at) => {
                const name = people[at]?.data?.name ?? t("gone");
                return (
                  <li key={id}>
                    <Face src={people[at]?.data?.imageUrl ?? null} />
                    <span>{people[at]?.isPending ? "…" : name}</span>
                    <IconButton
                      small
                      label={t("notFor", { name })}
                      onClick={() => onChange(chosen.filter((other) => other !== id))}
                    >
                      <X className="icon s" />
                    </IconButton>
                  </li>
                );
              })}
            </ul>
          )}
          {chosen.length < MAX_CHARACTERS && (
            <Field
              label={t("addCharacter")}
              hideLabel
              hint={chosen.length === 0 ? t("nobodyChosen") : undefined}
            >
              {(control) => (
                <input
                  {...control}
                  className="input"
                  placeholder={t("characterName")}
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                  onKeyDown={(event) => {
                    if (event.key !== "Enter") return;
                    event.preventDefault();
                    if (offered[0]) add(offered[0]);
                  }}
                />
              )}
            </Field>
          )}
          {words !== "" && (
            <ul className="who-list offered" aria-label={t("found")}>
              {offered.map((partner) => (
                <li key={partner._id}>
                  <button type="button" onClick={() => add(partner)}>
                    <Face src={partner.imageUrl} />
                    <span>{partner.name}</span>
                    <Plus className="icon s" />
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}
