//! One reply, from the engine's first piece to the saved message.

use std::time::Duration;

use futures::{Stream, StreamExt as _, stream};
use redis::Cmd;
use serde_json::json;

use super::{
    End, HELP_LINES, copy_key,
    live::{Entered, Outcome},
    pace::Pace,
    screen::{Screen, Then},
    store,
};
use crate::{
    App,
    chats::Told,
    engines::{Help, Job, Piece, Pieces, Trouble},
    limits::{COPY_LIFE_S, REPLY_MAX},
};

/// Tries to save a reply while the database is away; after that its lease has ended anyway.
const SAVES: u32 = 12;
const SAVE_PAUSE: Duration = Duration::from_millis(500);
/// Pieces that are taken together at most; so many tokens are a paragraph.
const TOGETHER: usize = 64;

/// How the engine's part ended.
struct Finish {
    end: End,
    reason: &'static str,
    tokens: Option<serde_json::Value>,
    /// Who wrote it, where that is not who was asked.
    engine: Option<String>,
    /// What stands in place of what was written.
    instead: Option<String>,
}

impl Finish {
    fn new(end: End, reason: &'static str) -> Self {
        Self { end, reason, tokens: None, engine: None, instead: None }
    }

    /// A reply that broke off keeps what it has; one that never began has failed.
    fn trouble(trouble: Trouble, written: usize) -> Self {
        let cut_off = matches!(trouble, Trouble::EndedEarly | Trouble::Timeout) && written > 0;
        Self::new(if cut_off { End::Interrupted } else { End::Failed }, trouble.reason())
    }

    /// Help lines, which no engine wrote.
    fn help(text: String) -> Self {
        Self { engine: Some(String::new()), instead: Some(text), ..Self::new(End::Done, HELP_LINES) }
    }

    /// What a rule makes of a reply that met it.
    fn refused(rule: moderation::Rule, help: &Help) -> Self {
        if rule.as_str().starts_with("self_harm.") {
            return Self::help(moderation::help_lines(&help.country).text.clone());
        }
        Self::new(End::Refused, "moderated")
    }
}

/// Writes until the end, then saves; readers hear of it all through `entered`. `path` is what the reply follows, where it is
/// to be kept.
pub async fn write(app: App, entered: Entered, job: Job, path: Option<Vec<Told>>) {
    let live = entered.live.clone();
    let mut pace = Pace::begin(app.engine.name());
    let Some(finish) = compose(&app, &entered, job, &mut pace).await else {
        tracing::warn!(generation = %live.id, "the lease was lost; the reply is left to others");
        return;
    };
    pace.ended(finish.end, finish.reason);

    live.close();
    let text = finish.instead.unwrap_or_else(|| live.text());
    for attempt in 1..=SAVES {
        let ending = store::Ending {
            end: finish.end,
            reason: finish.reason,
            text: &text,
            tokens: finish.tokens.clone(),
            engine: finish.engine.as_deref(),
        };
        match store::end(&app.db, live.id, store::By::Owner(app.me), ending).await {
            Ok(Some(message)) => {
                if let Some(mut path) = path {
                    path.push(Told::of(&message));
                    app.paths.keep(path);
                }
                // Who reads here need not wait until those at other processes can hear of it.
                live.end(Outcome::Ended(Box::new(message)));
                mark_end(&app, &entered, finish.reason == HELP_LINES);
                return;
            }
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, attempt, generation = %live.id, "a reply could not be saved");
                tokio::time::sleep(SAVE_PAUSE).await;
            }
        }
    }
}

/// `None` when the lease was lost.
async fn compose(app: &App, entered: &Entered, mut job: Job, pace: &mut Pace) -> Option<Finish> {
    let live = &entered.live;
    let help = job.help.clone();
    if help.now {
        let text = &moderation::help_lines(&help.country).text;
        live.append(text);
        return Some(Finish::help(text.clone()));
    }
    let before = job.said.take().unwrap_or_else(|| job.scene.said_before());
    let mut screen = Screen::new(job.stops(), job.scene.last_said(), before);
    let mut pieces = std::pin::pin!(together(app.engine.write(job)));
    let (mut tokens, mut engine) = (None, None);
    let mut finish = loop {
        let piece = tokio::select! {
            biased;
            () = live.fenced.cancelled() => return None,
            () = live.stop.cancelled() => break Finish::new(End::Stopped, ""),
            () = live.cut.cancelled() => break Finish::new(End::Interrupted, "unavailable"),
            piece = pieces.next() => piece,
        };
        let (piece, times) = piece.unzip();
        let (heard, trouble) = match piece {
            Some(Ok(Piece::Text(text))) => {
                pace.pieces(times.unwrap_or(1));
                (screen.push(&text), None)
            }
            Some(Ok(Piece::Usage { prompt, reply })) => {
                pace.tokens = Some(reply.into());
                tokens = Some(json!({ "tokens": prompt, "reply_tokens": reply, "estimated": false }));
                continue;
            }
            Some(Ok(Piece::By(name))) => {
                pace.engine.clone_from(&name);
                engine = Some(name);
                continue;
            }
            Some(Err(trouble)) => (screen.finish(), Some(trouble)),
            None => (screen.finish(), None),
        };
        let room = REPLY_MAX.saturating_sub(live.written_bytes());
        let cut = heard.text.len() > room;
        live.append(&heard.text[..heard.text.floor_char_boundary(room)]);
        match (heard.then, trouble) {
            (Then::Refused(rule), _) => {
                tracing::info!(generation = %live.id, rule = rule.as_str(), "a reply was refused");
                break Finish::refused(rule, &help);
            }
            (Then::End, Some(trouble)) => break Finish::trouble(trouble, live.written_bytes()),
            (Then::End, None) if live.text().trim().is_empty() => {
                break Finish::new(End::Failed, Trouble::Error.reason());
            }
            (Then::End, None) => break Finish::new(End::Done, ""),
            (Then::On, _) if cut => break Finish::new(End::Done, ""),
            (Then::On, _) => {}
        }
    };
    finish.tokens = tokens;
    finish.engine = finish.engine.or(engine);
    Some(finish)
}

/// Texts that are there at the same moment, as one: a model that is faster than its readers is looked at, told and copied
/// by what has come meanwhile, and not by the token. With how many there were.
fn together(pieces: Pieces) -> impl Stream<Item = (Result<Piece, Trouble>, u64)> {
    pieces.ready_chunks(TOGETHER).flat_map(|chunk| {
        let mut joined: Vec<(Result<Piece, Trouble>, u64)> = Vec::with_capacity(1);
        for piece in chunk {
            match (joined.last_mut(), piece) {
                (Some((Ok(Piece::Text(text)), times)), Ok(Piece::Text(more))) => {
                    text.push_str(&more);
                    *times += 1;
                }
                (_, piece) => joined.push((piece, 1)),
            }
        }
        stream::iter(joined)
    })
}

/// The last piece and the end, for readers at other processes. They find both in the database too. What was
/// replaced is in the database only.
fn mark_end(app: &App, entered: &Entered, replaced: bool) {
    /// Bytes of a command beside its key and its text.
    const COMMAND: usize = 64;
    let key = app.redis.key(copy_key(entered.live.id));
    let command = |arguments: usize, more: usize| Cmd::with_capacity(arguments, COMMAND + key.len() + more);
    let mut commands = Vec::with_capacity(3);
    if replaced {
        let mut delete = command(2, 0);
        delete.arg("DEL").arg(&key);
        commands.push(delete);
    } else if let Some((from, text)) = entered.live.take_uncopied() {
        let mut rest = command(5, text.len());
        rest.arg("XADD").arg(&key).arg(format!("{}-0", from + text.len())).arg("t").arg(text);
        commands.push(rest);
    }
    let (mut end, mut expire) = (command(5, 0), command(3, 0));
    end.arg("XADD").arg(&key).arg(format!("{}-1", entered.live.written_bytes())).arg("end").arg("1");
    expire.arg("EXPIRE").arg(&key).arg(COPY_LIFE_S);
    commands.extend([end, expire]);
    app.redis.soon(commands);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_there_at_once_is_one_text_and_the_rest_keeps_its_place() {
        let text = |text: &str| Ok(Piece::Text(text.to_owned()));
        let pieces =
            [text("I "), text("wait "), Ok(Piece::By("b".into())), text("here."), Err(Trouble::Timeout)];
        let joined: Vec<_> = together(stream::iter(pieces).boxed()).collect().await;
        let told: Vec<(String, u64)> = joined
            .into_iter()
            .map(|(piece, times)| match piece {
                Ok(Piece::Text(text)) => (text, times),
                Ok(Piece::By(name)) => (format!("by {name}"), times),
                Ok(Piece::Usage { .. }) => ("usage".into(), times),
                Err(trouble) => (trouble.reason().to_owned(), times),
            })
            .collect();
        let expected = [("I wait ", 2), ("by b", 1), ("here.", 1), (Trouble::Timeout.reason(), 1)];
        assert_eq!(told, expected.map(|(text, times)| (text.to_owned(), times)));
    }
}
