import { useTitle } from "@/shared/hooks/useTitle";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { ButtonLink, Empty } from "@/shared/ui";

export function NotFound() {
  const t = useMessages("frame");
  useTitle(t("notFound"));
  return (
    <>
      <header className="page-head">
        <h1>{t("noPage")}</h1>
      </header>
      <Empty
        title={t("nobody")}
        action={
          <ButtonLink look="lit" to={paths.home}>
            {t("back")}
          </ButtonLink>
        }
      >
        {t("nowhere")}
      </Empty>
    </>
  );
}
