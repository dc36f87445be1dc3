import { Copy } from "lucide-react";
import { brand } from "@/brand";
import { latestRequestId } from "@/shared/api/client";
import { ApiError } from "@/shared/api/errors";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, IconButton } from "@/shared/ui";

/** A chunk of a version that is gone: only a reload brings the page. */
const isStaleChunk = (error: unknown) =>
  error instanceof Error && /dynamically imported module|module script/i.test(error.message);

/** By what the operator finds what happened: the request that failed, else the last one before the page broke. */
const referenceOf = (error: unknown) =>
  (error instanceof ApiError ? error.requestId : null) ?? latestRequestId();

function Reference({ id }: { id: string }) {
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => toast.success("Number copied."),
      () => toast.error("The number could not be copied."),
    );
  return (
    <div className="page-reference">
      <p className="hint">
        If it happens again, tell{" "}
        <a className="link" href={brand.supportUrl} target="_blank" rel="noopener noreferrer">
          Support
        </a>{" "}
        this number:
      </p>
      <p className="page-reference-id">
        <code>{id}</code>
        <IconButton small label="Copy the number" onClick={() => void copy()}>
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
  useTitle("Something broke");
  return (
    <div className="empty page-error" role="alert">
      <h1>{stale ? "This page has been renewed" : "A line was dropped"}</h1>
      <p className="text-2">
        {stale
          ? "A newer version is out. Reload to get it."
          : "Something on this page broke. Reload it, or go back to the start."}
      </p>
      <div className="chips">
        <Button look="lit" onClick={() => globalThis.location.reload()}>
          Reload
        </Button>
        <ButtonLink to={paths.home} reloadDocument>
          Home
        </ButtonLink>
      </div>
      {reference && <Reference id={reference} />}
    </div>
  );
}
