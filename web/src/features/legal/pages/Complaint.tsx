import { useTitle } from "@/shared/hooks/useTitle";
import { PolicyText } from "../components/PolicyText";
import { complaint } from "../policies";

export default function Complaint() {
  useTitle(complaint.title);
  return <PolicyText policy={complaint} />;
}
