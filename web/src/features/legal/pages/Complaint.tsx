import { PolicyText } from "../components/PolicyText";
import { complaint } from "../policies";

export default function Complaint() {
  return <PolicyText policy={complaint} />;
}
