import { CircleAlert, CircleStop, Paintbrush } from "lucide-react";
import type { Image } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { fitted } from "@/shared/media";
import { Button, Meter } from "@/shared/ui";
import { isUnderWay, nameOf } from "../api";
import { messages, useMessages } from "../i18n";
import { reasonOf } from "../reasons";
import { type ShotActions, ShotMenu } from "./ShotMenu";

/** How wide a picture hangs in the gallery, as `sizes` says it. */
const SHOT_SIZES = "(max-width: 767px) 50vw, (max-width: 1199px) 30vw, 250px";

/** A picture that is waited for: how far it is, and the way to stop it. */
function Working({ image, onCancel }: { image: Image; onCancel: () => void }) {
  const t = useMessages("shot");
  const percent = Math.round(image.progress * 100);
  const drawing = image.state === "running";
  return (
    <div className="shot-art shot-wait working">
      <Paintbrush className="icon l" />
      <span role="status">{t(drawing ? "drawing" : "waiting")}</span>
      <span className="shot-progress num">
        {drawing && percent > 0 && (
          <>
            <Meter label={t("drawn")} value={percent} max={100} />
            {t("percent", { percent })}
          </>
        )}
      </span>
      <Button
        size="small"
        className="shot-cancel"
        onClick={onCancel}
        aria-label={t("cancelName", { name: nameOf(image) })}
      >
        {t("cancel")}
      </Button>
    </div>
  );
}

function Ended({ image }: { image: Image }) {
  const t = useMessages("shot");
  const canceled = image.state === "canceled";
  const Icon = canceled ? CircleStop : CircleAlert;
  return (
    <div className="shot-art shot-wait">
      <Icon className="icon l" />
      <span>{canceled ? t("canceled") : reasonOf(image.reason)}</span>
      <span>{t("coinsBack")}</span>
    </div>
  );
}

/** The word on a picture: who sees it, where that is not only its owner. */
function flagOf({ public: open, standing, imageUrl }: Image): string | null {
  const t = messages("shot");
  if (standing === "refused") return t("refused");
  if (!open) return null;
  return t(standing === "waiting" && imageUrl ? "publicSoon" : "public");
}

interface ShotProps {
  image: Image;
  eager: boolean;
  onOpen: () => void;
  actions: ShotActions;
}

/** A picture of the gallery, or the place where it will hang. */
export function Shot({ image, eager, onOpen, actions }: ShotProps) {
  const t = useMessages("shot");
  const name = nameOf(image);
  const flag = flagOf(image);
  return (
    <article className="shot" data-state={image.state}>
      {flag && <span className="shot-flag">{flag}</span>}
      {image.imageUrl ? (
        <button type="button" className="shot-art" onClick={onOpen} aria-label={t("enlarge", { name })}>
          <img
            {...fitted(image.thumbUrl ?? image.imageUrl, eager ? SHOT_SIZES : `auto, ${SHOT_SIZES}`)}
            alt=""
            width={image.width || 832}
            height={image.height || 1216}
            loading={eager ? "eager" : "lazy"}
            decoding="async"
          />
        </button>
      ) : isUnderWay(image) ? (
        <Working image={image} onCancel={actions.onCancel} />
      ) : (
        <Ended image={image} />
      )}
      <div className="shot-line">
        <div>
          <p className="shot-name">{name}</p>
          <p className="hint">{ago(image.createdAt)}</p>
        </div>
        <ShotMenu image={image} actions={actions} />
      </div>
    </article>
  );
}
