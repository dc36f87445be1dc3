/** The chat while it comes: the shape of what will be there. */
export function TalkSkeleton() {
  return (
    <main className="talk" id="main" tabIndex={-1} aria-busy="true">
      <div className="talk-head">
        <span className="tile" />
        <span className="bone talk-bone" />
      </div>
      <div />
      <div className="lines-box">
        <div className="lines" role="status" aria-label="Loading chat">
          <div className="lines-in">
            {["first", "second"].map((key) => (
              <div className="turn skeleton" key={key}>
                <span className="tile" />
                <div className="bubble talk-bones">
                  <span className="bone w-92" />
                  <span className="bone w-92" />
                  <span className="bone w-60" />
                </div>
              </div>
            ))}
          </div>
        </div>
      </div>
    </main>
  );
}
