import { Copy } from "lucide-react";
import { brand } from "@/brand";
import { latestRequestId } from "@/shared/api/client";
import { ApiError } from "@/shared/api/errors";
import { useTitle } from "@/shared/hooks/useTitle";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, buttonClass, IconButton } from "@/shared/ui";

/** A chunk of a version that is gone: only a reload brings the page. */
const isStaleChunk = (error: unknown) =>
  error instanceof Error && /dynamically imported module|module script/i.test(error.message);

/** By what the operator finds what happened: the request that failed, else the last one before the page broke. */
const referenceOf = (error: unknown) =>
  (error instanceof ApiError ? error.requestId : null) ?? latestRequestId();

function Reference({ id }: { id: string }) {
  const t = useMessages("frame");
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => toast.success(t("copied")),
      () => toast.error(t("notCopied")),
    );
  return (
    <div className="page-reference">
      <p className="hint">
        {t.rich("tellSupport", {
          link: (text) => (
            <a className="link" href={brand.supportUrl} target="_blank" rel="noopener noreferrer">
              {text}
            </a>
          ),
        })}
      </p>
      <p className="page-reference-id">
        <code>{id}</code>
        <IconButton small label={t("copyNumber")} onClick={() => void copy()}>
          <Copy className="icon s" />
        </IconButton>
      </p>
    </div>
  );
}

/** The last resort: something in a page broke. The rest of the site stands. */
export function ErrorPage({ error }: { error: unknown }) {
  const stale = isStaleChunk(error);
  const reference = stale ? null : referenceOf(error);
  const t = useMessages("frame");
  useTitle(t("brokeTitle"));
  return (
    <div className="empty page-error" role="alert">
      <h1>{t(stale ? "renewed" : "dropped")}</h1>
      <p className="text-2">{t(stale ? "newer" : "broke")}</p>
      <div className="chips">
        <Button look="lit" onClick={() => globalThis.location.reload()}>
          {t("reload")}
        </Button>
        <a className={buttonClass({})} href={paths.home}>
          {t("home")}
        </a>
      </div>
      {reference && <Reference id={reference} />}
    </div>
  );
}
