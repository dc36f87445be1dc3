//! Loads invented characters by the hundred thousand. What is there is left alone, so that a load that broke off
//! goes on where it was, and a greater number adds the difference.

use kit::db::{Db, Transaction};
use std::{
    collections::HashSet,
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context as _;
use sqlx::PgConnection;
use time::format_description::well_known::Rfc3339;
use tokio::{sync::Mutex, task::JoinSet};
use uuid::Uuid;

use super::invent::{Invented, Inventor, id};
use crate::{characters::store as characters, listings::text};

/// Characters that are written in one transaction.
const BATCH: u32 = 5_000;
/// Characters that are listed in one, fewer than a running index reads again of what was committed late
/// (`listings::refresh`): one writer lists at a time, so that no more of them are late.
const LISTED: usize = 200;
/// Writers at a time: while two of them make up characters or wait for PostgreSQL, one waits for the disk or its turn.
const WRITERS: usize = 3;
/// From this many on, the index of the searched words is faster made anew than kept.
const ANEW: u32 = 50_000;

/// Loads the characters of the first numbers up to `wanted` that are missing; answers how many those were.
///
/// # Errors
/// What the database says.
pub(super) async fn load(db: &Db, inventor: Inventor, wanted: u32) -> anyhow::Result<u32> {
    let began = Instant::now();
    // Left out by a load that broke off.
    make_index(db).await?;
    let known = sqlx::query_scalar!(
        r#"select count(*) as "n!" from listing join search_text using (ord) where character_id >= $1 and character_id <= $2"#,
        id(1),
        id(wanted)
    )
    .fetch_one(db)
    .await?;
    let missing = wanted.saturating_sub(u32::try_from(known)?);
    if missing == 0 {
        tracing::info!(wanted, "all of them are there");
        return Ok(0);
    }
    characters::know_tags(db, inventor.tags()).await?;
    know_makers(db, &inventor, wanted).await?;
    // Or each character would be looked up in all of them, as in a table of a few rows.
    for table in ["tag", "creator"] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("analyze {table}"))).execute(db).await?;
    }
    let anew = missing >= ANEW && i64::from(missing) > known;
    if anew {
        sqlx::query!("drop index search_text_gin").execute(db).await?;
    }
    let inventor = Arc::new(inventor);
    let next = Arc::new(AtomicU32::new(1));
    let turn = Arc::new(Mutex::new(()));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (db, inventor, next) = (db.clone(), Arc::clone(&inventor), Arc::clone(&next));
        let turn = Arc::clone(&turn);
        writers.spawn(async move {
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                if first > wanted {
                    return anyhow::Ok(());
                }
                let numbers: Vec<u32> = (first..first + BATCH).take_while(|n| *n <= wanted).collect();
                write(&db, &inventor, &turn, &numbers)
                    .await
                    .with_context(|| format!("characters {first} and after"))?;
                tracing::info!(characters = numbers.last(), seconds = began.elapsed().as_secs(), "written");
            }
        });
    }
    while let Some(written) = writers.join_next().await {
        written??;
    }
    tracing::info!(seconds = began.elapsed().as_secs(), "all of them are written");
    Ok(missing)
}

/// What follows a load: the index of the searched words where it was left out, and the words that cards have. Each keeps a core
/// of PostgreSQL, so they go beside each other.
///
/// # Errors
/// What the database says.
pub(super) async fn finish(db: &Db) -> anyhow::Result<()> {
    let searched = async {
        make_index(db).await?;
        vacuum(db, &["search_text"]).await
    };
    let learnt = async {
        vacuum(db, &["character", "character_stats", "listing"]).await?;
        text::learn(db, Duration::ZERO).await?;
        Ok(())
    };
    tokio::try_join!(searched, learnt)?;
    Ok(())
}

/// Sweeps tables and looks at what they hold, however long it takes.
async fn vacuum(db: &Db, tables: &[&str]) -> anyhow::Result<()> {
    let mut own = db.acquire().await?;
    for table in tables {
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("vacuum (analyze) {table}"))).execute(&mut *own).await?;
    }
    own.done();
    Ok(())
}

/// The index of the searched words, where a load has left it out.
async fn make_index(db: &Db) -> anyhow::Result<()> {
    let mut tx = db.begin().await?;
    sqlx::query!("set local maintenance_work_mem = '512MB'").execute(&mut *tx).await?;
    // As migration 1 makes it.
    sqlx::query!(
        "create index if not exists search_text_gin on search_text using gin (tsv) with (fastupdate = off)"
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}

async fn know_makers(db: &Db, inventor: &Inventor, wanted: u32) -> anyhow::Result<()> {
    let (mut ids, mut names, mut followers) = (Vec::new(), Vec::new(), Vec::new());
    for maker in inventor.makers(wanted) {
        ids.push(maker.id);
        names.push(maker.username);
        followers.push(maker.followers);
    }
    sqlx::query!(
        "insert into creator (user_id, username, sample, seeded_followers)
         select id, name, true, followers from unnest($1::uuid[], $2::text[], $3::bigint[]) as t(id, name, followers)
         on conflict do nothing",
        &ids,
        &names,
        &followers
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn write(db: &Db, inventor: &Arc<Inventor>, turn: &Mutex<()>, numbers: &[u32]) -> anyhow::Result<()> {
    let ids: Vec<Uuid> = numbers.iter().map(|n| id(*n)).collect();
    let there =
        sqlx::query_scalar!("select id from character where id = any($1)", &ids).fetch_all(db).await?;
    let there: HashSet<Uuid> = there.into_iter().collect();
    let new: Vec<u32> = numbers.iter().copied().filter(|n| !there.contains(&id(*n))).collect();
    if !new.is_empty() {
        // A core is kept by it; the other writers are not.
        let inventor = Arc::clone(inventor);
        let made = tokio::task::spawn_blocking(move || Lines::of(new.iter().map(|n| inventor.character(*n))));
        let made = made.await?;
        let mut tx = begin(db).await?;
        copy(&mut tx, CHARACTERS, &made.characters).await?;
        copy(&mut tx, COUNTS, &made.counts).await?;
        tx.commit().await?;
    }
    // Of those that were there, most are listed as well, and to find that out by their words would be most of the work.
    let unlisted = if there.is_empty() { ids } else { unlisted(db, &ids).await? };
    for ids in unlisted.chunks(LISTED) {
        list(db, turn, ids).await?;
    }
    Ok(())
}

/// A transaction that is not waited for until it is on the disk: a load that is lost with the machine is begun again.
async fn begin(db: &Db) -> anyhow::Result<Transaction> {
    let mut tx = db.begin().await?;
    sqlx::query!("set local synchronous_commit = off").execute(&mut *tx).await?;
    Ok(tx)
}

/// Those that are not listed, or not found by their words, which a load that broke off has left.
async fn unlisted(db: &Db, ids: &[Uuid]) -> anyhow::Result<Vec<Uuid>> {
    let unlisted = sqlx::query_scalar!(
        r#"select id as "id!" from unnest($1::uuid[]) as asked(id)
           where not exists (select from listing l join search_text s using (ord) where l.character_id = id)"#,
        ids
    );
    Ok(unlisted.fetch_all(db).await?)
}

/// Lists characters and makes them found, as `list_character` and `index_character` do for one.
async fn list(db: &Db, turn: &Mutex<()>, ids: &[Uuid]) -> anyhow::Result<()> {
    // Until it is committed: a running index would never read what others have left far behind meanwhile.
    let turn = turn.lock().await;
    let mut tx = begin(db).await?;
    sqlx::query!(
        "insert into listing (character_id, creator_id, tag_ids, nsfw, listed, likes, chats, trend, published_at, seq)
         select c.id, c.owner,
                -- One look into the index for each; joined, all tags would be read for each character.
                coalesce((select array_agg(t.id) from unnest(c.tags) as had (slug)
                          cross join lateral (select id from tag where tag.slug = had.slug offset 0) t), '{}'),
                c.nsfw, is_listed(c),
                s.likes + s.seeded_likes, s.chats + s.seeded_chats, s.trend, c.created_at, nextval('listing_seq')
         from character c join character_stats s on s.character_id = c.id where c.id = any($1)
         on conflict do nothing",
        ids
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    drop(turn);
    let mut tx = begin(db).await?;
    sqlx::query!(
        "insert into search_text (ord, tsv)
         select l.ord, searched_words(c.name, c.tags, coalesce(k.username, ''), c.description)
         from character c join listing l on l.character_id = c.id left join creator k on k.user_id = c.owner
         where c.id = any($1)
         on conflict do nothing",
        ids
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}

const CHARACTERS: &str = "copy character (id, owner, name, age, tags, description, personality, first_message, scenario,
    example_conversation, kinks, outfit, nsfw, public, image_asset, gel, sample, created_at, updated_at) from stdin";
const COUNTS: &str =
    "copy character_stats (character_id, seeded_likes, seeded_dislikes, seeded_follows, seeded_chats,
    seeded_messages, trend) from stdin";

/// What COPY reads of some characters.
#[derive(Default)]
struct Lines {
    characters: String,
    counts: String,
}

impl Lines {
    fn of(made: impl Iterator<Item = Invented>) -> Self {
        let mut lines = Self::default();
        for made in made {
            row(&mut lines.characters, &made);
            lines.characters.push('\n');
            counts(&mut lines.counts, &made);
            lines.counts.push('\n');
        }
        lines
    }
}

async fn copy(db: &mut PgConnection, statement: &str, lines: &str) -> anyhow::Result<()> {
    let mut copy = db.copy_in_raw(statement).await?;
    copy.send(lines.as_bytes()).await?;
    copy.finish().await?;
    Ok(())
}

/// A line in the text format of COPY.
fn row(to: &mut String, c: &Invented) {
    let age = c.age.map_or_else(|| r"\N".to_owned(), |age| age.to_string());
    let at = time::OffsetDateTime::now_utc() - time::Duration::minutes(c.minutes.into());
    let at = at.format(&Rfc3339).unwrap_or_default();
    let _ = write!(to, "{}\t{}\t{}\t{age}\t{{{}}}", c.id, c.owner, c.name, c.tags.join(","));
    for text in [&c.description, &c.personality, &c.first_message, &c.scenario, &c.example_conversation] {
        to.push('\t');
        escape(to, text);
    }
    let _ = write!(to, "\t{{}}\t\t{}\ttrue\t{}\t{}\ttrue\t{at}\t{at}", c.nsfw, c.image_asset, c.gel);
}

fn counts(to: &mut String, c: &Invented) {
    let _ = write!(
        to,
        "{}\t{}\t{}\t{}\t{}\t{}\t{}",
        c.id, c.likes, c.dislikes, c.follows, c.chats, c.messages, c.trend
    );
}

fn escape(to: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\\' => to.push_str(r"\\"),
            '\n' => to.push_str(r"\n"),
            '\r' => to.push_str(r"\r"),
            '\t' => to.push_str(r"\t"),
            c => to.push(c),
        }
    }
}
