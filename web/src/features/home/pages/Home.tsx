import { useLoggedIn } from "@/shared/store";
import { CallBoard } from "../components/CallBoard";
import { Explore } from "../components/Explore";
import { Hero } from "../components/Hero";
import { Overheard } from "../components/Overheard";
import { Row } from "../components/Row";
import "../home.css";

export default function Home() {
  const loggedIn = useLoggedIn();
  return (
    <>
      <Hero />
      <Row row="featured" />
      {loggedIn && <Row row="trending" />}
      {!loggedIn && <Overheard />}
      {loggedIn && <Explore />}
      <CallBoard />
    </>
  );
}
