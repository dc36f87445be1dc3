import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { WaitingImage } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { useDecideImage, waitingOptions } from "../api";
import { Queue } from "./Queue";
import { Verdict } from "./Verdict";

const ORIGINS: Readonly<Record<string, string>> = { upload: "Uploaded", drawn: "Drawn" };

function Waiting({ image }: { image: WaitingImage }) {
  const decide = useDecideImage();
  return (
    <article className="panel waiting">
      <div className="waiting-art">
        {image.imageUrl && (
          <a href={image.imageUrl} target="_blank" rel="noreferrer" aria-label="Open the whole picture">
            <img
              src={sized(image.imageUrl, "card")}
              alt={`${ORIGINS[image.origin] ?? image.origin} picture, ${image.width} by ${image.height}`}
              width={image.width}
              height={image.height}
              loading="lazy"
            />
          </a>
        )}
      </div>
      <p className="held-meta">
        <span>{ORIGINS[image.origin] ?? image.origin}</span>
        <span>Came {ago(image.since)}</span>
        {image.ownerId === null && <span>Its owner is gone</span>}
        {image.ownerName && (
          <span>
            by{" "}
            <Link className="link" to={paths.creator(image.ownerName)}>
              {image.ownerName}
            </Link>
          </span>
        )}
      </p>
      <Verdict
        id={image.asset}
        what="this picture"
        refuse="Refuse"
        busy={decide.isPending}
        onDecide={(decision) => decide.mutate(decision)}
      />
    </article>
  );
}

export function WaitingPictures() {
  const list = useInfiniteQuery(waitingOptions);
  return (
    <Queue list={list} total={list.data?.pages[0]?.total} what="picture">
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
