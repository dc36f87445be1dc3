//! Mail: written with the change that causes it, sent afterwards. Files in development, SMTP elsewhere.

mod letter;
mod mailbox;
mod store;
mod templates;

use std::{path::Path, time::Duration};

use anyhow::Context as _;
use kit::{db::round, shutdown::Shutdown};
use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
};
use uuid::Uuid;

pub use self::{letter::Letter, store::queue};
use crate::{App, config::Mail, limits};

/// Between looks for mail to send.
const LOOK: Duration = Duration::from_millis(200);
/// How long a server may take: a connection to PostgreSQL waits with it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends what is queued until shutdown; what fails is tried again, ever later.
pub async fn send(app: App, shutdown: Shutdown) {
    let mut delivered = None;
    loop {
        let more = match send_one(&app, &mut delivered).await {
            Ok(more) => more,
            Err(error) => {
                tracing::warn!(%error, "mail not sent; tried again later");
                false
            }
        };
        let pause = if more { Duration::ZERO } else { LOOK };
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
    }
}

/// Whether there was one. `delivered` is what has been sent and is still queued, since the database could not be told:
/// nothing else is sent before that, or a database that takes no writes would have it sent again and again.
async fn send_one(app: &App, delivered: &mut Option<Uuid>) -> anyhow::Result<bool> {
    if let Some(id) = *delivered {
        round(store::forget(&app.db, id)).await?;
        *delivered = None;
    }
    let Some((tx, mail)) = round(store::take(&app.db, limits::MAIL_ATTEMPTS)).await? else {
        return Ok(false);
    };
    if let Err(error) = deliver(&app.mail, &mail).await {
        round(store::put_off(tx, mail.id)).await?;
        return Err(error);
    }
    *delivered = Some(mail.id);
    round(store::sent(tx, mail.id)).await?;
    *delivered = None;
    Ok(true)
}

async fn deliver(config: &Mail, mail: &store::Queued) -> anyhow::Result<()> {
    let message = compose(config, mail)?;
    match (&config.smtp_url, &config.mail_dir) {
        (Some(url), _) => {
            let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose())
                .context("SMTP_URL is not an SMTP address")?
                .timeout(Some(PATIENCE))
                .build();
            // Its own time-out counts each step apart; this one counts all.
            tokio::time::timeout(PATIENCE, transport.send(message))
                .await
                .context("the SMTP server took too long")?
                .context("the SMTP server")?;
            Ok(())
        }
        (None, Some(folder)) => write(folder, mail.id, &message.formatted()).await,
        (None, None) => anyhow::bail!("neither SMTP_URL nor MAIL_DIR is set"),
    }
}

fn compose(config: &Mail, mail: &store::Queued) -> anyhow::Result<Message> {
    let from: Mailbox = config.mail_from.parse().context("MAIL_FROM is not an address")?;
    let to: Mailbox = mail.recipient.parse().context("an address that cannot be written to")?;
    let domain = from.email.domain().to_owned();
    Ok(Message::builder()
        .from(from)
        .to(to)
        // The same id at every attempt: a mail that was sent twice is shown once.
        .message_id(Some(format!("<{}@{domain}>", mail.id)))
        .subject(&mail.subject)
        .header(ContentType::TEXT_PLAIN)
        .body(mail.body.clone())?)
}

/// Whole or not at all: readers never see half a mail.
async fn write(folder: &Path, id: Uuid, bytes: &[u8]) -> anyhow::Result<()> {
    tokio::fs::create_dir_all(folder).await.context("MAIL_DIR")?;
    let part = folder.join(format!("{id}.part"));
    tokio::fs::write(&part, bytes).await.context("MAIL_DIR")?;
    tokio::fs::rename(&part, folder.join(format!("{id}.eml"))).await.context("MAIL_DIR")
}
