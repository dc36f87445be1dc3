import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { brand } from "@/brand";
import { api } from "@/shared/api/client";
import type { CharacterCard } from "@/shared/api/types";
import { sized } from "@/shared/media";
import { useMessages } from "../i18n";

/** Faces in the row; narrow screens show the first ten. */
const CROWD = 22;

/** Faces of the troupe, repeated until the row is full. */
function useCrowd(): string[] {
  const lists = [
    useQuery({
      queryKey: ["characters", "characters/featured"],
      queryFn: ({ signal }) => api.get<{ characters: CharacterCard[] }>("characters/featured", { signal }),
    }),
    useQuery({
      queryKey: ["characters", "characters/trending"],
      queryFn: ({ signal }) => api.get<{ characters: CharacterCard[] }>("characters/trending", { signal }),
    }),
  ];
  const faces = lists
    .flatMap((list) => list.data?.characters ?? [])
    .filter((character) => !character.nsfw && character.imageUrl)
    .map((character) => sized(character.imageUrl ?? "", "thumb"));
  if (faces.length === 0) return [];
  return Array.from({ length: CROWD }, (_, index) => faces[index % faces.length] ?? "");
}

const strong = (text: ReactNode) => <b>{text}</b>;

export function MemberHero() {
  const t = useMessages("seats");
  const crowd = useCrowd();
  const { rating, users, creators } = brand.claims;
  return (
    <section className="member-hero stage">
      <div className="member-pelmet" />
      <div className="crowd" aria-hidden="true">
        {crowd.map((src, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same face stands in the row more than once.
          <span className="face" key={index}>
            <img src={src} alt="" width={48} height={64} decoding="async" />
          </span>
        ))}
      </div>
      <h1>{t("better")}</h1>
      <p className="member-lead">{t("lead")}</p>
      <p className="claims num">
        <span>{t.rich("rated", { rating, b: strong })}</span>
        <span>{t.rich("users", { users, b: strong })}</span>
        <span>{t.rich("creators", { creators, b: strong })}</span>
      </p>
    </section>
  );
}
