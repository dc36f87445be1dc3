import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, messageOf } from "@/shared/api/errors";
import type { ChatSampling, SamplingOptions, SamplingValues } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, Dialog, Failure, TextArea } from "@/shared/ui";
import { chatKeys, chatSamplingOptions, samplingOptionsOptions, saveSampling } from "../api";
import { useMessages } from "../i18n";
import { dialsOf, set, stopsOf } from "../sampling";
import { DialField } from "./DialField";
import { Presets } from "./Presets";

interface SheetProps {
  chatId: string;
  options: SamplingOptions;
  now: ChatSampling;
  onClose: () => void;
  onSubscribe: () => void;
}

function Sheet({ chatId, options, now, onClose, onSubscribe }: SheetProps) {
  const t = useMessages("sampling");
  const client = useQueryClient();
  const subscribe = useMessages("talk")("subscribe");
  const [preset, setPreset] = useState(now.preset);
  const [values, setValues] = useState<SamplingValues>(set(now.values));
  const [stops, setStops] = useState((now.values.stop ?? []).join("\n"));
  const base: SamplingValues = options.presets.find(({ _id }) => _id === preset)?.values ?? {};
  const locked = !options.maySet;
  const dials = dialsOf(options.bounds);
  const noneTaken = dials.every(({ bound }) => !bound.taken);
  const stop = stopsOf(stops, options.stopMaxItems);
  const tooLong = stop.find((line) => line.length > options.stopMaxLength);
  const wanted = set({ ...values, stop: stop.length > 0 ? stop : undefined });

  const save = useMutation({
    mutationFn: () => saveSampling(chatId, preset, wanted),
    onSuccess: (sampling) => {
      client.setQueryData(chatKeys.sampling(chatId), sampling);
      void client.invalidateQueries({ queryKey: chatKeys.mind(chatId) });
      toast.success(t("saved"));
      onClose();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 402) onSubscribe();
      else toast.error(messageOf(error, t("saveFailed")));
    },
  });
  const field = (of: (typeof dials)[number]) => (
    <DialField
      key={of.dial}
      of={of}
      told={noneTaken}
      value={values[of.dial]}
      preset={base[of.dial]}
      disabled={locked}
      onChange={(value) =>
        setValues(({ [of.dial]: _, ...others }) =>
          value === undefined ? others : { ...others, [of.dial]: value },
        )
      }
    />
  );

  return (
    <form
      className="sampling"
      onSubmit={(event) => {
        event.preventDefault();
        if (!locked && !tooLong) save.mutate();
      }}
    >
      <Presets
        options={options}
        chosen={preset}
        values={set({ ...base, ...wanted })}
        onChoose={(id) => {
          setPreset(id);
          setValues({});
          setStops("");
        }}
      />
      {noneTaken && <p className="note">{t("noneTaken")}</p>}
      <div className="dials">{dials.filter(({ main }) => main).map(field)}</div>
      <details className="sees-more">
        <summary>{t("more")}</summary>
        <div className="dials">{dials.filter(({ main }) => !main).map(field)}</div>
        <TextArea
          label={t("stop")}
          rows={2}
          disabled={locked}
          value={stops}
          hint={t("stopHint", { count: options.stopMaxItems })}
          error={tooLong && t("stopLong", { count: options.stopMaxLength })}
          onChange={(event) => setStops(event.target.value)}
        />
      </details>
      {locked ? (
        <div className="note sampling-lock">
          <span>{t("locked")}</span>
          <ButtonLink look="lit" size="small" to={paths.membership}>
            {subscribe}
          </ButtonLink>
        </div>
      ) : (
        <div className="row">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button look="lit" type="submit" busy={save.isPending}>
            {t("use")}
          </Button>
        </div>
      )}
    </form>
  );
}

interface SamplingDialogProps {
  chatId: string;
  onClose: () => void;
  onSubscribe: () => void;
}

/** How the replies of this chat are written. */
export function SamplingDialog({ chatId, onClose, onSubscribe }: SamplingDialogProps) {
  const t = useMessages("sampling");
  const waiting = useMessages("talk")("waiting");
  const title = useMessages("tools")("sampling");
  const options = useQuery(samplingOptionsOptions);
  const now = useQuery(chatSamplingOptions(chatId));
  return (
    <Dialog open onClose={onClose} title={title} closable className="room">
      {options.data && now.data ? (
        <Sheet
          chatId={chatId}
          options={options.data}
          now={now.data}
          onClose={onClose}
          onSubscribe={onSubscribe}
        />
      ) : options.isError || now.isError ? (
        <Failure
          message={t("failed")}
          onRetry={() => {
            void options.refetch();
            void now.refetch();
          }}
        />
      ) : (
        <div className="sees-wait skeleton" role="status" aria-label={waiting}>
          <span className="bone w-92" />
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      )}
    </Dialog>
  );
}
