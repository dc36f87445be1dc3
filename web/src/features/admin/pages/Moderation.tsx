import { useLocation, useNavigate } from "react-router";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Tabs } from "@/shared/ui";
import { HeldCharacters } from "../components/HeldCharacters";
import { WaitingPictures } from "../components/WaitingPictures";
import "../admin.css";

/** What waits for somebody of the house: characters and pictures, each at an address of its own. */
export default function Moderation() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useTitle("Waiting for a look");
  return (
    <>
      <header className="page-head">
        <h1>Waiting for a look</h1>
      </header>
      <Tabs
        label="What waits"
        value={pathname === paths.adminImages ? paths.adminImages : paths.admin}
        onChange={(path) => void navigate(path, { replace: true })}
        items={[
          { value: paths.admin, label: "Characters", content: <HeldCharacters /> },
          { value: paths.adminImages, label: "Pictures", content: <WaitingPictures /> },
        ]}
      />
    </>
  );
}
