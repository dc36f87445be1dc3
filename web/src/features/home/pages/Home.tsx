import { lazy, Suspense } from "react";
import { messagesArrived } from "@/shared/i18n";
import { useLoggedIn } from "@/shared/store";
import { PlaybillSkeletons } from "@/shared/ui";
import { Optional } from "@/shared/ui/Optional";
import { CallBoard } from "../components/CallBoard";
import { Hero } from "../components/Hero";
import { Overheard } from "../components/Overheard";
import { Row } from "../components/Row";
import "../home.css";

const Explore = lazy(async () => {
  const { Explore } = await import("../components/Explore");
  await messagesArrived();
  return { default: Explore };
});

/** Holds the place of what members explore until its code has come. */
function ExploreSkeleton() {
  return (
    <div className="section">
      <div className="grid">
        <PlaybillSkeletons />
      </div>
    </div>
  );
}

export default function Home() {
  const loggedIn = useLoggedIn();
  return (
    <>
      <Hero />
      <Row row="featured" />
      {loggedIn && <Row row="trending" />}
      {!loggedIn && <Overheard />}
      {loggedIn && (
        <Optional>
          <Suspense fallback={<ExploreSkeleton />}>
            <Explore />
          </Suspense>
        </Optional>
      )}
      <CallBoard />
    </>
  );
}
