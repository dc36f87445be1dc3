import { useRouteError } from "react-router";
import { paths } from "@/shared/paths";
import { Button, ButtonLink } from "@/shared/ui";

/** A chunk of a version that is gone: only a reload brings the page. */
const isStaleChunk = (error: unknown) =>
  error instanceof Error && /dynamically imported module|module script/i.test(error.message);

/** The last resort: something in a page broke. The rest of the site stands. */
export function ErrorPage() {
  const error = useRouteError();
  const stale = isStaleChunk(error);
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
    </div>
  );
}
