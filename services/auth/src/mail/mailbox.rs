//! The development mailbox: the mails that lie in MAIL_DIR.

use std::path::{Path, PathBuf};

use mail_parser::MessageParser;
use prost_types::Timestamp;
use proto::auth::v1::{ListMailRequest, ListMailResponse, Mail, mailbox_server::Mailbox};
use tonic::{Request, Response, Status};

use crate::{App, error::Error, limits};

#[tonic::async_trait]
impl Mailbox for App {
    async fn list_mail(&self, _: Request<ListMailRequest>) -> Result<Response<ListMailResponse>, Status> {
        let folder = self.mail.mail_dir.clone().unwrap_or_default();
        let mails = tokio::task::spawn_blocking(move || read(&folder))
            .await
            .map_err(|e| Error::Unexpected(e.into()))?;
        Ok(Response::new(ListMailResponse { mails }))
    }
}

/// The newest first: names are UUIDs that begin with the time.
fn read(folder: &Path) -> Vec<Mail> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "eml"))
        .collect();
    files.sort();
    files.iter().rev().take(limits::MAILBOX_MAX).filter_map(|path| parse(path)).collect()
}

fn parse(path: &Path) -> Option<Mail> {
    let bytes = std::fs::read(path).ok()?;
    let message = MessageParser::default().parse(&bytes)?;
    Some(Mail {
        id: path.file_stem()?.to_str()?.to_owned(),
        to: message.to()?.first()?.address()?.to_owned(),
        subject: message.subject()?.to_owned(),
        text: message.body_text(0)?.into_owned(),
        at: message.date().map(|d| Timestamp { seconds: d.to_timestamp(), nanos: 0 }),
    })
}
