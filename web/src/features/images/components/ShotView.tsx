import { ChevronLeft, ChevronRight, Download, Pencil, SquareUserRound, Trash2 } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import type { Image, ImageChange } from "@/shared/api/types";
import { Button, Dialog, IconButton, Switch, TextField } from "@/shared/ui";
import { MAX_LABEL_CHARS, nameOf } from "../api";
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
  const [label, setLabel] = useState(image.label);
  const [open, setOpen] = useState(image.public);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave({ label: label.trim(), public: open });
  };
  return (
    <form className="shot-form" onSubmit={submit}>
      <TextField
        label="Label"
        maxLength={MAX_LABEL_CHARS}
        value={label}
        autoFocus
        data-focus=""
        onChange={(event) => setLabel(event.target.value)}
      />
      <Switch checked={open} onChange={setOpen}>
        Public: it carries the badge, and whoever has its address sees it
      </Switch>
      <div className="row">
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="lit" type="submit">
          Save
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

const TITLES = { edit: "Edit the picture", portrait: "Whose portrait?" } as const;

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
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") place.previous?.();
    else if (event.key === "ArrowRight") place.next?.();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's; this names what the arrows are for.
    <div className="shot-frame" role="group" aria-label="Leaf through the pictures" onKeyDown={pressed}>
      {children}
      <IconButton label="Previous picture" aria-disabled={!place.previous} onClick={place.previous}>
        <ChevronLeft className="icon" />
      </IconButton>
      <span className="hint num" aria-live="polite">
        {place.number} of {place.count}
      </span>
      <IconButton label="Next picture" aria-disabled={!place.next} onClick={place.next}>
        <ChevronRight className="icon" />
      </IconButton>
    </div>
  );
}

/** A picture, large, with what can be done with it. */
export function ShotView({ image, mode, actions, place, onMode, onChange, onClose }: ShotViewProps) {
  const name = nameOf(image);
  if (!image.imageUrl) return null;
  return (
    <Dialog
      open
      onClose={onClose}
      title={mode === "look" ? name : TITLES[mode]}
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
                  Edit
                </Button>
                <Button size="small" look="quiet" onClick={actions.onPortrait}>
                  <SquareUserRound className="icon s" />
                  Use as a portrait
                </Button>
                <Button size="small" look="quiet" onClick={actions.onDownload}>
                  <Download className="icon s" />
                  Download original
                </Button>
                <Button size="small" look="quiet" onClick={actions.onDelete}>
                  <Trash2 className="icon s" />
                  Delete
                </Button>
              </div>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}
