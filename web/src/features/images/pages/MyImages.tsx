import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { Image } from "@/shared/api/types";
import { listFailure } from "@/shared/catalog/lists";
import { download } from "@/shared/download";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { useNearEnd } from "@/shared/hooks/useNearEnd";
import { useTitle } from "@/shared/hooks/useTitle";
import { MIN_LOADING_MS, SKELETON_CARDS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, Empty, Failure } from "@/shared/ui";
import { allImages, galleryOptions, nameOf, useCancelImage, useChangeImage, useDeleteImage } from "../api";
import { Shot } from "../components/Shot";
import type { ShotActions } from "../components/ShotMenu";
import { ShotView, type ViewMode } from "../components/ShotView";
import { useMessages } from "../i18n";
import { useImageHints } from "../useImageHints";
import "../images.css";

/** Pictures above the fold, asked for first. */
const EAGER = 6;

function Gallery() {
  useImageHints();
  const t = useMessages("gallery");
  const list = useInfiniteQuery(galleryOptions);
  const change = useChangeImage();
  const remove = useDeleteImage();
  const cancel = useCancelImage();
  /** The enlarged picture, and what is done with it. */
  const [view, setView] = useState<{ id: string; mode: ViewMode } | null>(null);
  const loading = useMinLoading(list.isPending, MIN_LOADING_MS);
  const nearEnd = useNearEnd(
    () => void list.fetchNextPage(),
    list.hasNextPage && !list.isFetchingNextPage && !list.isFetchNextPageError,
  );
  const images = allImages(list.data?.pages);
  const seen = view && images.find((image) => image._id === view.id);
  const drawn = images.filter((image) => image.imageUrl);
  const at = drawn.findIndex((image) => image._id === view?.id);
  /** To a neighbour of the enlarged picture; those further on are fetched before one comes to the end. */
  const stepTo = (index: number) => {
    const image = drawn[index];
    if (!image) return undefined;
    return () => {
      setView({ id: image._id, mode: "look" });
      if (index >= drawn.length - 2 && list.hasNextPage && !list.isFetching) void list.fetchNextPage();
    };
  };

  const wall = useRef<HTMLDivElement>(null);
  /** What had the focus goes away: it stays in the gallery, once the menu has given it back. */
  const keepFocus = () => setTimeout(() => wall.current?.focus({ preventScroll: true }));
  const actionsOf = (image: Image): ShotActions => ({
    onEdit: () => setView({ id: image._id, mode: "edit" }),
    onPortrait: () => setView({ id: image._id, mode: "portrait" }),
    onDownload: () =>
      download(`images/${image._id}/download`, `${nameOf(image)}.webp`).catch((error) =>
        toast.error(messageOf(error, t("downloadFailed"))),
      ),
    onCancel: () => {
      keepFocus();
      cancel.mutate(image._id);
    },
    onDelete: () => {
      setView(null);
      keepFocus();
      remove.mutate(image._id);
    },
  });

  if (loading) {
    return (
      <div className="gallery" role="status" aria-label={t("loading")}>
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
        title={t("none")}
        action={
          <ButtonLink look="lit" to={paths.createImage}>
            {t("first")}
          </ButtonLink>
        }
      >
        {t("noneText")}
      </Empty>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's; this names the wall. */}
      <div className="gallery" ref={wall} tabIndex={-1} role="group" aria-label={t("pictures")}>
        {images.map((image, index) => (
          <Shot
            key={image._id}
            image={image}
            eager={index < EAGER}
            onOpen={() => setView({ id: image._id, mode: "look" })}
            actions={actionsOf(image)}
          />
        ))}
      </div>
      <div className="list-end" ref={nearEnd}>
        {list.isFetchNextPageError && (
          <>
            <p role="alert">{listFailure(list.error, "images")}</p>
            <Button onClick={() => void list.fetchNextPage()}>{t("tryAgain")}</Button>
          </>
        )}
      </div>
      {seen && (
        <ShotView
          image={seen}
          mode={view.mode}
          actions={actionsOf(seen)}
          place={{ number: at + 1, count: drawn.length, previous: stepTo(at - 1), next: stepTo(at + 1) }}
          onMode={(mode) => setView({ id: seen._id, mode })}
          onChange={(what) => change.mutate({ id: seen._id, change: what })}
          onClose={() => setView(null)}
        />
      )}
    </>
  );
}

export default function MyImages() {
  const t = useMessages("gallery");
  useTitle(t("title"));
  const loggedIn = useLoggedIn();
  return (
    <>
      <header className="page-head split">
        <h1>{t("title")}</h1>
        {loggedIn && (
          <ButtonLink look="plum" to={paths.createImage}>
            <Plus className="icon s" />
            {t("create")}
          </ButtonLink>
        )}
      </header>
      {loggedIn ? (
        <Gallery />
      ) : (
        <Empty
          title={t("closed")}
          action={
            <ButtonLink look="lit" to={paths.login} state={{ redirectPath: paths.myImages }}>
              {t("login")}
            </ButtonLink>
          }
        >
          {t("closedText")}
        </Empty>
      )}
    </>
  );
}
