import { useInfiniteQuery } from "@tanstack/react-query";
import type { WaitingImage } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useDecideImage, waitingOptions } from "../api";
import { useMessages } from "../i18n";
import { Queue } from "./Queue";
import { Verdict } from "./Verdict";

function Waiting({ image }: { image: WaitingImage }) {
  const t = useMessages("picture");
  const queue = useMessages("queue");
  const decide = useDecideImage();
  const { origin, width, height, ownerName: name } = image;
  return (
    <article className="panel waiting">
      <div className="waiting-art">
        {image.imageUrl && (
          <a href={image.imageUrl} target="_blank" rel="noreferrer" aria-label={t("open")}>
            <img
              src={sized(image.imageUrl, "card")}
              alt={t("alt", { origin, width, height })}
              width={width}
              height={height}
              loading="lazy"
            />
          </a>
        )}
      </div>
      <p className="held-meta">
        <span>{t("origin", { origin })}</span>
        <span>{queue("came", { when: ago(image.since) })}</span>
        {image.ownerId === null && <span>{t("ownerless")}</span>}
        {name && (
          <span>
            {t.rich("by", {
              name,
              link: (text) => (
                <Link className="link" to={paths.creator(name)}>
                  {text}
                </Link>
              ),
            })}
          </span>
        )}
      </p>
      <Verdict
        id={image.asset}
        words={{ approve: t("approve"), no: t("refuse"), refuse: t("refuseThis"), ask: t("ask") }}
        busy={decide.isPending}
        onDecide={(decision) => decide.mutate(decision)}
      />
    </article>
  );
}

export function WaitingPictures() {
  const list = useInfiniteQuery(waitingOptions);
  return (
    <Queue list={list} total={list.data?.pages[0]?.total} what="pictures">
      <div className="waiting-grid">
        {list.data?.pages
          .flatMap((page) => page.images)
          .map((image) => (
            <Waiting key={image.asset} image={image} />
          ))}
      </div>
    </Queue>
  );
}
