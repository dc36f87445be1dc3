import { useMessages } from "../i18n";

/** The chat while it comes: the shape of what will be there. */
export function TalkSkeleton() {
  const t = useMessages("talk");
  return (
    <>
      <main className="talk" id="main" tabIndex={-1} aria-busy="true">
        <h1 className="sr">{t("loading")}</h1>
        <div className="talk-head skeleton">
          <span className="icon-btn only-s" />
          <span className="tile bone" />
          <span className="talk-who">
            <span className="bone talk-bone" />
            <span className="bone talk-bone small" />
          </span>
        </div>
        <div className="safe safe-bone" />
        <div className="lines-box">
          <div className="lines" role="status" aria-label={t("loading")}>
            <div className="lines-in">
              {["first", "second"].map((key) => (
                <div className="moment" key={key}>
                  <div className="turn skeleton">
                    <span className="tile bone" />
                    <div>
                      <div className="cue">
                        <span className="bone talk-bone" />
                      </div>
                      <div className="bubble talk-bones">
                        <span className="bone w-92" />
                        <span className="bone w-92" />
                        <span className="bone w-60" />
                      </div>
                    </div>
                  </div>
                </div>
              ))}
            </div>
          </div>
        </div>
        <div className="composer">
          <div className="composer-in">
            <div className="desk desk-bone" />
            <div className="under">&nbsp;</div>
          </div>
        </div>
      </main>
      <aside className="programme skeleton" aria-hidden="true">
        <div className="art" />
        <div className="body">
          <span className="bone w-60" />
          <span className="bone w-92" />
          <span className="bone w-92" />
        </div>
      </aside>
    </>
  );
}
