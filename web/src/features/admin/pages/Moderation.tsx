import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useLocation, useNavigate } from "@/shared/router";
import { Tabs } from "@/shared/ui";
import { HeldCharacters } from "../components/HeldCharacters";
import { People } from "../components/People";
import { Reports } from "../components/Reports";
import { WaitingPictures } from "../components/WaitingPictures";
import { useMessages } from "../i18n";
import "../admin.css";

const TABS = [paths.adminReports, paths.adminImages, paths.adminPeople];

/** What waits for somebody of the house: each queue at an address of its own. */
export default function Moderation() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const t = useMessages("moderation");
  useTitle(t("title"));
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
      </header>
      <Tabs
        label={t("tabs")}
        value={TABS.find((path) => path === pathname) ?? paths.admin}
        onChange={(path) => void navigate(path, { replace: true })}
        items={[
          { value: paths.admin, label: t("characters"), content: <HeldCharacters /> },
          { value: paths.adminImages, label: t("pictures"), content: <WaitingPictures /> },
          { value: paths.adminReports, label: t("reports"), content: <Reports /> },
          { value: paths.adminPeople, label: t("people"), content: <People /> },
        ]}
      />
    </>
  );
}
