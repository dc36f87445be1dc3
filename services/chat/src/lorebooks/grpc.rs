use kit::{
    caller,
    error::{Failure, Violations},
    ids, text,
};
use proto::chat::v1::{
    self as pb, CreateLorebookRequest, CreateLorebookResponse, DeleteLorebookRequest, DeleteLorebookResponse,
    GetLorebookRequest, GetLorebookResponse, ListLorebooksRequest, ListLorebooksResponse,
    UpdateLorebookRequest, UpdateLorebookResponse, lorebooks_server::Lorebooks,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    Book, Entry, Logic, matching, read,
    store::{self, Draft, Listed, Lorebook},
};
use crate::{
    App,
    error::{Error, Result},
    limits::{
        LORE_CHARACTERS_MAX, LORE_CONTENT_MAX, LORE_ENTRIES_MAX, LORE_KEY_MAX, LORE_KEYS_MAX, LORE_NAME_MAX,
        LORE_SCAN_MAX, LOREBOOKS_MAX,
    },
    rules::Kind,
};

#[tonic::async_trait]
impl Lorebooks for App {
    async fn list_lorebooks(
        &self,
        request: Request<ListLorebooksRequest>,
    ) -> Result<Response<ListLorebooksResponse>, Status> {
        let user = caller::user(&request)?;
        let found = store::list(&self.db, user.id).await?;
        Ok(Response::new(ListLorebooksResponse { lorebooks: found.into_iter().map(Into::into).collect() }))
    }

    async fn create_lorebook(
        &self,
        request: Request<CreateLorebookRequest>,
    ) -> Result<Response<CreateLorebookResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let mut draft = request.draft.unwrap_or_default();
        let mut skipped = Vec::new();
        let imported = match request.import.as_str() {
            "" => None,
            import => {
                let no_book = || Failure::invalid("import", "This is not a lorebook.");
                let json = serde_json::from_str(import).map_err(|_| no_book())?;
                let (mut book, name, left_out) = read::read(&json).ok_or_else(no_book)?;
                skipped = left_out;
                leave_out_bad(&mut book, &mut skipped);
                if draft.name.trim().is_empty() {
                    draft.name = if name.trim().is_empty() { "Imported".to_owned() } else { name };
                    draft.name = draft.name.chars().take(LORE_NAME_MAX).collect();
                }
                Some(book)
            }
        };
        let draft = read_draft(draft, imported)?;
        self.allows_book(user.id, &draft).await?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        if store::count_held(&mut tx, user.id).await? >= LOREBOOKS_MAX {
            return Err(Error::TooManyLorebooks.into());
        }
        let made = store::add(&mut *tx, user.id, &draft).await?;
        tx.commit().await.map_err(Error::from)?;
        Ok(Response::new(CreateLorebookResponse { lorebook: Some(made.into()), skipped }))
    }

    async fn get_lorebook(
        &self,
        request: Request<GetLorebookRequest>,
    ) -> Result<Response<GetLorebookResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("lorebook_not_found", &request.into_inner().id)?;
        let found = store::find(&self.db, user.id, id).await?.ok_or(Error::LorebookNotFound)?;
        Ok(Response::new(GetLorebookResponse { lorebook: Some(found.into()) }))
    }

    async fn update_lorebook(
        &self,
        request: Request<UpdateLorebookRequest>,
    ) -> Result<Response<UpdateLorebookResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let id = ids::find("lorebook_not_found", &request.id)?;
        // Somebody else's is absent, whatever is wrong with the rest.
        store::find(&self.db, user.id, id).await?.ok_or(Error::LorebookNotFound)?;
        let draft = read_draft(request.draft.unwrap_or_default(), None)?;
        self.allows_book(user.id, &draft).await?;
        let kept = store::replace(&self.db, user.id, id, &draft).await?.ok_or(Error::LorebookNotFound)?;
        Ok(Response::new(UpdateLorebookResponse { lorebook: Some(kept.into()) }))
    }

    async fn delete_lorebook(
        &self,
        request: Request<DeleteLorebookRequest>,
    ) -> Result<Response<DeleteLorebookResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("lorebook_not_found", &request.into_inner().id)?;
        if !store::delete(&self.db, user.id, id).await? {
            return Err(Error::LorebookNotFound.into());
        }
        Ok(Response::new(DeleteLorebookResponse {}))
    }
}

impl App {
    async fn allows_book(&self, user: Uuid, draft: &Draft) -> Result<()> {
        self.judge(user, Kind::LOREBOOK, &draft.name).await?;
        for entry in &draft.book.entries {
            let keys = entry.keys.iter().chain(&entry.secondary_keys).map(String::as_str);
            let text: Vec<&str> =
                [entry.name.as_str()].into_iter().chain(keys).chain([entry.content.as_str()]).collect();
            self.judge(user, Kind::LORE, &text.join("\n")).await?;
        }
        Ok(())
    }
}

/// Of an import: entries that we cannot keep are left out and told, instead of refusing all of it.
fn leave_out_bad(book: &mut Book, skipped: &mut Vec<String>) {
    if book.entries.len() > LORE_ENTRIES_MAX {
        skipped.push(format!("{} entries are too many.", book.entries.len() - LORE_ENTRIES_MAX));
        book.entries.truncate(LORE_ENTRIES_MAX);
    }
    book.entries.retain_mut(|entry| {
        entry.name = entry.name.trim().chars().take(LORE_NAME_MAX).collect();
        let mut wrong = Violations::new();
        check_entry(entry, "entry", &mut wrong);
        let Err(failure) = wrong.done() else { return true };
        let why = failure.fields.first().map_or("", |(_, text)| text);
        let name = if entry.name.is_empty() { "An entry without a name" } else { entry.name.as_str() };
        skipped.push(format!("{name}: {why}"));
        false
    });
}

fn read_draft(draft: pb::LorebookDraft, imported: Option<Book>) -> Result<Draft> {
    let mut wrong = Violations::new();
    let name = text::clean(&draft.name, LORE_NAME_MAX).unwrap_or_else(|error| {
        wrong.add("name", error.to_string());
        String::new()
    });
    wrong.check(!draft.name.trim().is_empty(), "name", "A lorebook needs a name.");
    wrong.check(draft.character_ids.len() <= LORE_CHARACTERS_MAX, "characterIds", "At most 100 characters.");
    let ids: Result<Vec<Uuid>, Failure> = draft
        .character_ids
        .iter()
        .take(LORE_CHARACTERS_MAX)
        .map(|id| ids::parse("characterIds", id))
        .collect();
    let mut book = imported.unwrap_or_else(|| draft.book.unwrap_or_default().into());
    wrong.check(book.scan_depth <= LORE_SCAN_MAX, "book.scanDepth", "At most 100 messages.");
    wrong.check(book.entries.len() <= LORE_ENTRIES_MAX, "book.entries", "At most 200 entries.");
    for (at, entry) in book.entries.iter_mut().enumerate().take(LORE_ENTRIES_MAX) {
        check_entry(entry, &format!("book.entries[{at}]"), &mut wrong);
    }
    wrong.done()?;
    let mut character_ids = ids?;
    character_ids.sort_unstable();
    character_ids.dedup();
    Ok(Draft { name, enabled: draft.enabled, character_ids, book })
}

/// Tidies an entry and says what is wrong with it.
fn check_entry(entry: &mut Entry, field: &str, wrong: &mut Violations) {
    let named = if entry.name.is_empty() { "This entry".to_owned() } else { format!("\"{}\"", entry.name) };
    for (part, max, name) in
        [(&mut entry.name, LORE_NAME_MAX, "name"), (&mut entry.content, LORE_CONTENT_MAX, "content")]
    {
        match text::clean(part, max) {
            Ok(clean) => *part = clean,
            Err(error) => wrong.add(format!("{field}.{name}"), error.to_string()),
        }
    }
    wrong.check(
        !entry.content.is_empty(),
        format!("{field}.content"),
        format!("{named} has nothing to tell."),
    );
    for (keys, name) in [(&mut entry.keys, "keys"), (&mut entry.secondary_keys, "secondaryKeys")] {
        let field = format!("{field}.{name}");
        wrong.check(keys.len() <= LORE_KEYS_MAX, &field, "At most 30 keys.");
        for key in keys.iter_mut().take(LORE_KEYS_MAX) {
            match text::clean(key, LORE_KEY_MAX) {
                Ok(clean) => *key = clean,
                Err(error) => wrong.add(&field, error.to_string()),
            }
            if entry.regex && matching::pattern(key, entry.case_sensitive).is_err() {
                wrong.add(&field, format!("{named} has a pattern that cannot be read: {key}"));
            }
        }
        keys.retain(|key| !key.is_empty());
    }
    wrong.check(
        entry.constant || !entry.keys.is_empty(),
        format!("{field}.keys"),
        format!("{named} needs a key, or to be told always."),
    );
    wrong.check(
        entry.scan_depth.is_none_or(|n| n <= LORE_SCAN_MAX),
        format!("{field}.scanDepth"),
        "At most 100 messages.",
    );
}

impl From<pb::LoreEntry> for Entry {
    fn from(entry: pb::LoreEntry) -> Self {
        let logic = match entry.logic() {
            pb::LoreLogic::Unspecified | pb::LoreLogic::AndAny => Logic::AndAny,
            pb::LoreLogic::AndAll => Logic::AndAll,
            pb::LoreLogic::NotAny => Logic::NotAny,
            pb::LoreLogic::NotAll => Logic::NotAll,
        };
        Self {
            name: entry.name,
            keys: entry.keys,
            secondary_keys: entry.secondary_keys,
            logic,
            content: entry.content,
            enabled: entry.enabled,
            constant: entry.constant,
            order: entry.order,
            priority: entry.priority,
            before_character: entry.before_character,
            depth: entry.depth,
            scan_depth: entry.scan_depth,
            case_sensitive: entry.case_sensitive,
            whole_words: entry.whole_words,
            regex: entry.regex,
        }
    }
}

impl From<Entry> for pb::LoreEntry {
    fn from(entry: Entry) -> Self {
        let logic = match entry.logic {
            Logic::AndAny => pb::LoreLogic::AndAny,
            Logic::AndAll => pb::LoreLogic::AndAll,
            Logic::NotAny => pb::LoreLogic::NotAny,
            Logic::NotAll => pb::LoreLogic::NotAll,
        };
        Self {
            name: entry.name,
            keys: entry.keys,
            secondary_keys: entry.secondary_keys,
            logic: logic.into(),
            content: entry.content,
            enabled: entry.enabled,
            constant: entry.constant,
            order: entry.order,
            priority: entry.priority,
            before_character: entry.before_character,
            depth: entry.depth,
            scan_depth: entry.scan_depth,
            case_sensitive: entry.case_sensitive,
            whole_words: entry.whole_words,
            regex: entry.regex,
        }
    }
}

impl From<pb::LoreBook> for Book {
    fn from(book: pb::LoreBook) -> Self {
        Self {
            scan_depth: book.scan_depth,
            token_budget: book.token_budget,
            recursive: book.recursive,
            entries: book.entries.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Listed> for pb::Lorebook {
    fn from(listed: Listed) -> Self {
        Self {
            id: listed.id.to_string(),
            name: listed.name,
            enabled: listed.enabled,
            character_ids: listed.character_ids.iter().map(Uuid::to_string).collect(),
            entry_count: listed.entries.unsigned_abs(),
            updated_at: Some(kit::time::to_proto(listed.updated_at)),
            book: None,
        }
    }
}

impl From<Lorebook> for pb::Lorebook {
    fn from(lorebook: Lorebook) -> Self {
        let book = lorebook.book.0;
        Self {
            id: lorebook.id.to_string(),
            name: lorebook.name,
            enabled: lorebook.enabled,
            character_ids: lorebook.character_ids.iter().map(Uuid::to_string).collect(),
            entry_count: u32::try_from(book.entries.len()).unwrap_or(u32::MAX),
            updated_at: Some(kit::time::to_proto(lorebook.updated_at)),
            book: Some(pb::LoreBook {
                scan_depth: book.scan_depth,
                token_budget: book.token_budget,
                recursive: book.recursive,
                entries: book.entries.into_iter().map(Into::into).collect(),
            }),
        }
    }
}
