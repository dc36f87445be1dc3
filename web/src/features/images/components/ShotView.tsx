import { ChevronLeft, ChevronRight, Download, Pencil, SquareUserRound, Trash2 } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import type { Image, ImageChange } from "@/shared/api/types";
import { Button, Dialog, IconButton, Switch, TextField } from "@/shared/ui";
import { MAX_LABEL_CHARS, nameOf } from "../api";
import { useMessages } from "../i18n";
import { PortraitPick } from "./PortraitPick";
import type { ShotActions } from "./ShotMenu";

/** What the enlarged view shows beside the picture. */
export type ViewMode = "look" | "edit" | "portrait";

export interface Place {
  /** From 1. */
  number: number;
  count: number;
  /** Absent at either end. */
  previous?: () => void;
  next?: () => void;
}

interface ShotViewProps {
  image: Image;
  mode: ViewMode;
  actions: ShotActions;
  onMode: (mode: ViewMode) => void;
  /** Where it stands among the pictures, and the way to its neighbours. */
  place: Place;
  onChange: (change: ImageChange) => void;
  onClose: () => void;
}

function EditForm({ image, onSave, onCancel }: EditFormProps) {
  const t = useMessages("view");
  const [label, setLabel] = useState(image.label);
  const [open, setOpen] = useState(image.public);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave({ label: label.trim(), public: open });
  };
  return (
    <form className="shot-form" onSubmit={submit}>
      <TextField
        label={t("label")}
        maxLength={MAX_LABEL_CHARS}
        value={label}
        autoFocus
        data-focus=""
        onChange={(event) => setLabel(event.target.value)}
      />
      <Switch checked={open} onChange={setOpen}>
        {t("public")}
      </Switch>
      <div className="row">
        <Button onClick={onCancel}>{t("cancel")}</Button>
        <Button look="lit" type="submit">
          {t("save")}
        </Button>
      </div>
    </form>
  );
}

interface EditFormProps {
  image: Image;
  onSave: (change: ImageChange) => void;
  onCancel: () => void;
}

const TITLES = { edit: "editTitle", portrait: "portraitTitle" } as const;

function Picture({ image, src, className }: { image: Image; src: string; className?: string }) {
  return (
    <img
      className={className}
      src={src}
      alt={nameOf(image)}
      width={image.width || 832}
      height={image.height || 1216}
    />
  );
}

/** The large picture, between the ways to the one before and the one after. */
function Frame({ place, children }: { place: Place; children: ReactNode }) {
  const t = useMessages("view");
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") place.previous?.();
    else if (event.key === "ArrowRight") place.next?.();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's; this names what the arrows are for.
    <div className="shot-frame" role="group" aria-label={t("leaf")} onKeyDown={pressed}>
      {children}
      <IconButton label={t("previous")} aria-disabled={!place.previous} onClick={place.previous}>
        <ChevronLeft className="icon" />
      </IconButton>
      <span className="hint num" aria-live="polite">
        {t("place", { number: place.number, count: place.count })}
      </span>
      <IconButton label={t("next")} aria-disabled={!place.next} onClick={place.next}>
        <ChevronRight className="icon" />
      </IconButton>
    </div>
  );
}

/** A picture, large, with what can be done with it. */
export function ShotView({ image, mode, actions, place, onMode, onChange, onClose }: ShotViewProps) {
  const t = useMessages("view");
  const shot = useMessages("shot");
  const name = nameOf(image);
  if (!image.imageUrl) return null;
  return (
    <Dialog
      open
      onClose={onClose}
      title={mode === "look" ? name : t(TITLES[mode])}
      closable
      className={mode === "portrait" ? "room" : "shot-view"}
    >
      {mode === "portrait" ? (
        <PortraitPick image={image} onDone={onClose} />
      ) : (
        <>
          {mode === "edit" ? (
            <Picture image={image} src={image.thumbUrl ?? image.imageUrl} className="small" />
          ) : (
            <Frame place={place}>
              <Picture key={image._id} image={image} src={image.imageUrl} />
            </Frame>
          )}
          {mode === "edit" ? (
            <EditForm
              image={image}
              onCancel={() => onMode("look")}
              onSave={(change) => {
                onChange(change);
                onMode("look");
              }}
            />
          ) : (
            <>
              {image.prompt && image.label && <p className="text-2">{image.prompt}</p>}
              <div className="shot-tools">
                <Button size="small" look="quiet" onClick={actions.onEdit}>
                  <Pencil className="icon s" />
                  {shot("edit")}
                </Button>
                <Button size="small" look="quiet" onClick={actions.onPortrait}>
                  <SquareUserRound className="icon s" />
                  {shot("asPortrait")}
                </Button>
                <Button size="small" look="quiet" onClick={actions.onDownload}>
                  <Download className="icon s" />
                  {shot("download")}
                </Button>
                <Button size="small" look="quiet" onClick={actions.onDelete}>
                  <Trash2 className="icon s" />
                  {shot("delete")}
                </Button>
              </div>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}
