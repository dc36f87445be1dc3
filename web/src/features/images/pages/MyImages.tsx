import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, Paintbrush, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import type { Image } from "@/shared/api/types";
import { listFailure } from "@/shared/catalog/lists";
import { ago } from "@/shared/format";
import { onHint } from "@/shared/hints";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { useNearEnd } from "@/shared/hooks/useNearEnd";
import { MIN_LOADING_MS, SKELETON_CARDS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { refreshProfile } from "@/shared/session";
import { useLoggedIn } from "@/shared/store";
import { Button, ButtonLink, Dialog, Empty, Failure } from "@/shared/ui";
import { allImages, galleryOptions, isUnderWay } from "../api";
import "../images.css";

/** Pictures above the fold, asked for first. */
const EAGER = 6;

const nameOf = (image: Image) => image.label || image.prompt || "Untitled";

function FailedShot({ image }: { image: Image }) {
  return (
    <div className="shot-art shot-wait">
      <CircleAlert className="icon l" />
      <span>
        {image.state === "canceled" ? "Canceled." : "This one did not come out."}
        <br />
        Its coins are back.
      </span>
    </div>
  );
}

function Shot({ image, eager, onOpen }: { image: Image; eager: boolean; onOpen: () => void }) {
  const name = nameOf(image);
  return (
    <article className="shot" data-state={image.state}>
      {image.public && <span className="shot-flag">Public</span>}
      {image.imageUrl ? (
        <button type="button" className="shot-art" onClick={onOpen} aria-label={`Enlarge ${name}`}>
          <img
            src={image.thumbUrl ?? image.imageUrl}
            alt=""
            width={image.width || 832}
            height={image.height || 1216}
            loading={eager ? "eager" : "lazy"}
            decoding="async"
          />
        </button>
      ) : isUnderWay(image) ? (
        <div className="shot-art shot-wait working" role="status">
          <Paintbrush className="icon l" />
          {image.state === "queued" ? "Waiting for its turn" : "Being drawn"}
        </div>
      ) : (
        <FailedShot image={image} />
      )}
      <p>{name}</p>
      <p className="hint">{ago(image.createdAt)}</p>
    </article>
  );
}

/** A hint about any picture of ours: the gallery is read again, with no reload. */
function useImageHints() {
  const client = useQueryClient();
  useEffect(
    () =>
      onHint((hint) => {
        if (!hint.type.startsWith("image.")) return;
        void client.invalidateQueries({ queryKey: ["images"] });
        refreshProfile().catch(() => undefined);
      }),
    [client],
  );
}

function Gallery() {
  useImageHints();
  const list = useInfiniteQuery(galleryOptions);
  const [open, setOpen] = useState<Image | null>(null);
  const loading = useMinLoading(list.isPending, MIN_LOADING_MS);
  const nearEnd = useNearEnd(
    () => void list.fetchNextPage(),
    list.hasNextPage && !list.isFetchingNextPage && !list.isError,
  );
  const images = allImages(list.data?.pages);

  if (loading) {
    return (
      <div className="gallery" role="status" aria-label="Loading images">
        {Array.from({ length: SKELETON_CARDS }, (_, index) => `bone-${index}`).map((key) => (
          <div className="shot skeleton" key={key}>
            <div className="shot-art bone" />
            <span className="bone w-60" />
          </div>
        ))}
      </div>
    );
  }
  if (list.isError && images.length === 0) {
    return <Failure message={listFailure(list.error, "images")} onRetry={() => void list.refetch()} />;
  }
  if (images.length === 0) {
    return (
      <Empty
        title="It's a bit empty here"
        action={
          <ButtonLink look="lit" to={paths.createImage}>
            Create an Image
          </ButtonLink>
        }
      >
        Nothing has been drawn for you yet.
      </Empty>
    );
  }
  return (
    <>
      <div className="gallery">
        {images.map((image, index) => (
          <Shot key={image._id} image={image} eager={index < EAGER} onOpen={() => setOpen(image)} />
        ))}
      </div>
      <div className="list-end" ref={nearEnd}>
        {list.isFetchNextPageError && (
          <>
            <p role="alert">{listFailure(list.error, "images")}</p>
            <Button onClick={() => void list.fetchNextPage()}>Try again</Button>
          </>
        )}
      </div>
      <Dialog
        open={open !== null}
        onClose={() => setOpen(null)}
        title={open ? nameOf(open) : ""}
        closable
        className="shot-view"
      >
        {open?.imageUrl && (
          <img
            src={open.imageUrl}
            alt={nameOf(open)}
            width={open.width || 832}
            height={open.height || 1216}
          />
        )}
        {open?.prompt && open.label && <p className="text-2">{open.prompt}</p>}
      </Dialog>
    </>
  );
}

export default function MyImages() {
  const loggedIn = useLoggedIn();
  return (
    <>
      <header className="page-head split">
        <h1>My images</h1>
        {loggedIn && (
          <ButtonLink look="plum" to={paths.createImage}>
            <Plus className="icon s" />
            Create
          </ButtonLink>
        )}
      </header>
      {loggedIn ? (
        <Gallery />
      ) : (
        <Empty
          title="Your gallery is behind the door"
          action={
            <ButtonLink look="lit" to={paths.login} state={{ redirectPath: paths.myImages }}>
              Login
            </ButtonLink>
          }
        >
          Log in to see the pictures that were drawn for you.
        </Empty>
      )}
    </>
  );
}
