import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { SamplingOptions, SamplingValues } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { Button, Chip, TextField } from "@/shared/ui";
import { chatKeys, deletePreset, savePreset } from "../api";
import { useMessages } from "../i18n";

const MAX_LABEL = 40;

interface PresetsProps {
  options: SamplingOptions;
  chosen: string;
  /** What stands on the dials, to be kept under a name. */
  values: SamplingValues;
  onChoose: (id: string) => void;
}

/** Ready-made hands to write with: the house's, then one's own. */
export function Presets({ options, chosen, values, onChoose }: PresetsProps) {
  const t = useMessages("sampling");
  const client = useQueryClient();
  const [label, setLabel] = useState<string | null>(null);
  const preset = options.presets.find(({ _id }) => _id === chosen);
  const own = options.presets.filter((p) => p.own).length;
  const reread = () => client.invalidateQueries({ queryKey: chatKeys.samplingOptions });
  const save = useMutation({
    mutationFn: (name: string) => savePreset(name, values),
    onSuccess: async (answer) => {
      await reread();
      onChoose(answer.preset._id);
      setLabel(null);
    },
    onError: (error) => toast.error(messageOf(error, t("presetFailed"))),
  });
  const remove = useMutation({
    mutationFn: deletePreset,
    onSuccess: () => {
      onChoose(options.defaultPreset);
      void reread();
    },
    onError: (error) => toast.error(messageOf(error, t("presetDeleteFailed"))),
  });
  const name = label?.trim() ?? "";

  return (
    <fieldset className="field" disabled={!options.maySet}>
      <legend className="label">{t("preset")}</legend>
      <div className="chips">
        {options.presets.map(({ _id, label: text }) => (
          <Chip key={_id} pressed={_id === chosen} onChange={() => onChoose(_id)}>
            {text}
          </Chip>
        ))}
      </div>
      {preset?.description && <p className="hint">{preset.description}</p>}
      {options.maySet &&
        (label === null ? (
          <div className="preset-row">
            {own < options.ownMaxItems && (
              <Button size="small" look="quiet" onClick={() => setLabel("")}>
                {t("keepPreset")}
              </Button>
            )}
            {preset?.own && (
              <Button size="small" look="quiet" busy={remove.isPending} onClick={() => remove.mutate(chosen)}>
                {t("deletePreset", { name: preset.label })}
              </Button>
            )}
          </div>
        ) : (
          <div className="preset-row">
            <TextField
              label={t("presetName")}
              hideLabel
              placeholder={t("presetName")}
              maxLength={MAX_LABEL}
              autoFocus
              value={label}
              onChange={(event) => setLabel(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                event.preventDefault();
                if (name) save.mutate(name);
              }}
            />
            <Button size="small" look="quiet" onClick={() => setLabel(null)}>
              {t("cancel")}
            </Button>
            <Button
              size="small"
              busy={save.isPending}
              disabled={name === ""}
              onClick={() => save.mutate(name)}
            >
              {t("keep")}
            </Button>
          </div>
        ))}
    </fieldset>
  );
}
