//! Mail: written with the change that causes it, sent afterwards. Files in development, SMTP elsewhere.

mod mailbox;
mod store;

use std::{collections::HashMap, path::Path, time::Duration};

use anyhow::Context as _;
use kit::shutdown::Shutdown;
use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
};
use uuid::Uuid;

pub use self::store::queue;
use crate::{App, config::Mail};

/// Between looks for mail to send.
const LOOK: Duration = Duration::from_millis(200);
/// How long a server may take, well below the half minute after which a mail is sent again.
const PATIENCE: Duration = Duration::from_secs(20);
/// Deliveries of one mail before it is given up.
const ATTEMPTS_MAX: i32 = 12;

/// What a mail says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub subject: String,
    pub body: String,
}

impl Letter {
    fn new(subject: String, paragraphs: &[String], config: &Mail) -> Self {
        let mut body = paragraphs.join("\n\n");
        body.push_str(&format!("\n\n{}\n{}\n", config.brand_name, config.public_url));
        Self { subject, body }
    }

    /// The six-character code of a sign-up.
    pub fn code(name: &str, code: &str, config: &Mail) -> Self {
        let brand = &config.brand_name;
        let paragraphs = [
            format!("Hello {name},"),
            format!("your code for {brand} is"),
            format!("    {code}"),
            "It is good for 30 minutes. If you did not sign up, forget this mail: nothing happens without the code."
                .to_owned(),
        ];
        Self::new(format!("{code} is your {brand} code"), &paragraphs, config)
    }

    /// The link that sets a new password.
    pub fn reset(name: &str, token: &str, config: &Mail) -> Self {
        let paragraphs = [
            format!("Hello {name},"),
            "here you set a new password:".to_owned(),
            format!("{}/reset?token={token}", config.public_url),
            "The link is good for one hour and for one use. If you did not ask for it, your password stays as it is."
                .to_owned(),
        ];
        Self::new(format!("Set a new {} password", config.brand_name), &paragraphs, config)
    }

    /// A mail that another service asks for; `None` when the template is not known.
    pub fn from_template(template: &str, params: &HashMap<String, String>, config: &Mail) -> Option<Self> {
        let get = |key: &str| params.get(key).map(String::as_str).unwrap_or_default();
        match template {
            "receipt" => {
                let paragraphs = [
                    format!("Thank you. You are now on {} ({}).", get("plan"), get("period")),
                    format!("Paid: {}\nReference: {}", get("amount"), get("reference")),
                    format!("You can change or cancel your plan at {}/account.", config.public_url),
                ];
                Some(Self::new(format!("Your {} receipt", config.brand_name), &paragraphs, config))
            }
            _ => None,
        }
    }
}

/// Sends what is queued until shutdown; what fails is tried again, ever later.
pub async fn send(app: App, shutdown: Shutdown) {
    loop {
        let more = match send_one(&app).await {
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

async fn send_one(app: &App) -> anyhow::Result<bool> {
    let Some(mail) = store::next(&app.db, ATTEMPTS_MAX).await? else { return Ok(false) };
    let message = compose(&app.mail, &mail)?;
    match (&app.mail.smtp_url, &app.mail.mail_dir) {
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
        }
        (None, Some(folder)) => write(folder, mail.id, &message.formatted()).await?,
        (None, None) => anyhow::bail!("neither SMTP_URL nor MAIL_DIR is set"),
    }
    store::sent(&app.db, mail.id).await?;
    Ok(true)
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
