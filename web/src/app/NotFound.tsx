import { paths } from "@/shared/paths";
import { ButtonLink, Empty } from "@/shared/ui";

export function NotFound() {
  return (
    <>
      <header className="page-head">
        <h1>No such page</h1>
      </header>
      <Empty
        title="Nobody on this stage"
        action={
          <ButtonLink look="lit" to={paths.home}>
            Back to the house
          </ButtonLink>
        }
      >
        The address leads nowhere. It may have moved, or it was never here.
      </Empty>
    </>
  );
}
