//! Rules about rows of one database: each question answers the rows that break it.

/// When a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At any moment: what it compares is written in one transaction, and read in one statement.
    Always,
    /// When everything has come to its end.
    AtRest,
}

/// A rule that one statement can judge.
pub struct Rule {
    pub when: When,
    pub database: &'static str,
    pub what: &'static str,
    /// Answers the rows that break it, as text.
    pub question: &'static str,
}

const fn always(database: &'static str, what: &'static str, question: &'static str) -> Rule {
    Rule { when: When::Always, database, what, question }
}

const fn at_rest(database: &'static str, what: &'static str, question: &'static str) -> Rule {
    Rule { when: When::AtRest, database, what, question }
}

/// All of them.
pub static RULES: [Rule; 20] = [
    always(
        "billing",
        "the ledger sums to zero",
        "select sum(amount)::text from coin_entry having sum(amount) <> 0",
    ),
    always(
        "billing",
        "a movement of coins sums to zero",
        "select tx::text from coin_entry group by tx having sum(amount) <> 0",
    ),
    always(
        "billing",
        "a balance is the sum of its entries",
        "select a.id::text from coin_account a left join coin_entry e on e.account = a.id
         group by a.id, a.balance having a.balance <> coalesce(sum(e.amount), 0)",
    ),
    always(
        "billing",
        "nobody owes coins",
        "select id::text from coin_account where balance < 0 and kind not like 'house%'",
    ),
    always(
        "billing",
        "a reservation ends once",
        "select ref::text from coin_tx where kind in ('capture', 'release') group by ref having count(*) > 1",
    ),
    always(
        "billing",
        // A release that comes before its reservation is remembered, so that this finds it ended; it moves nothing.
        "what ends was reserved",
        "select t.ref::text from coin_tx t where t.kind in ('capture', 'release')
         and not exists (select from coin_tx r where r.ref = t.ref and r.kind = 'reserve')
         and (t.kind = 'capture' or exists (select from coin_entry e where e.tx = t.id))",
    ),
    always(
        "billing",
        "a payment gives its coins once",
        "select a.user_id::text from coin_tx t join coin_entry e on e.tx = t.id
         join coin_account a on a.id = e.account and a.kind = 'available'
         where t.kind = 'grant' group by a.user_id having count(*) <> 1",
    ),
    at_rest(
        "billing",
        "who has paid has coins for it",
        "select c.id::text from checkout c where c.state = 'paid' and not exists (
             select from coin_tx t join coin_entry e on e.tx = t.id
             join coin_account a on a.id = e.account and a.kind = 'available'
             where t.kind = 'grant' and a.user_id = c.user_id)",
    ),
    at_rest(
        "chat",
        "no generation is left running",
        "select id::text from generation where state = 'running'",
    ),
    at_rest(
        "chat",
        "no message is left without an end",
        "select id::text from message where state in ('streaming', 'pending')",
    ),
    always(
        "chat",
        "a message is answered once",
        "select user_message_id::text from generation where user_message_id is not null
         group by user_message_id having count(*) > 1",
    ),
    always(
        "chat",
        "a quota counts what was written",
        "select u.user_id::text from usage u where u.span = 'day' and u.period_start = (now() at time zone 'utc')::date
         and u.used <> (select count(*) from generation g where g.charged_to = u.user_id and g.charged_on = u.period_start)",
    ),
    at_rest(
        "media",
        "every picture has an end",
        "select id::text from job where state in ('unpaid', 'queued', 'running')",
    ),
    at_rest("auth", "whoever asked for mail is written to", "select id::text from wish"),
    at_rest(
        "auth",
        "mail is sent",
        "select id::text from mail where available_at < now() - interval '1 second'",
    ),
    always(
        "catalog",
        "likes are their rows",
        "select s.character_id::text from character_stats s
         where s.likes <> (select count(*) from reaction r where r.character_id = s.character_id and r.kind = 'like')",
    ),
    always(
        "catalog",
        "dislikes are their rows",
        "select s.character_id::text from character_stats s
         where s.dislikes <> (select count(*) from reaction r where r.character_id = s.character_id and r.kind = 'dislike')",
    ),
    always(
        "catalog",
        "follows are their rows",
        "select s.character_id::text from character_stats s
         where s.follows <> (select count(*) from character_follow f where f.character_id = s.character_id)",
    ),
    always(
        "catalog",
        "reviews are their rows",
        "select s.character_id::text from character_stats s
         where s.reviews <> (select count(*) from review r where r.character_id = s.character_id)",
    ),
    always(
        "catalog",
        "ratings are those of the reviews",
        "select s.character_id::text from character_stats s
         where s.rating_sum <> (select coalesce(sum(r.rating), 0) from review r where r.character_id = s.character_id)",
    ),
];
