//! The few pages that are not the web app's: the sandbox checkout, the development mailbox.

use std::collections::HashMap;

use axum::{
    Form, Json,
    body::Bytes,
    extract::{State as Shared, rejection::FormRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse as _, Redirect, Response},
};
use proto::{
    auth::v1::{ListMailRequest, Mail},
    billing::v1::{ReceiveWebhookRequest, RenderSandboxRequest, SubmitSandboxRequest},
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    State,
    api::when,
    errors::{Answer, Problem},
    extract::Segment,
};

const STYLES: &str = include_str!("pages.css");
const NO_STORE: (header::HeaderName, HeaderValue) =
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));

/// `GET /sandbox.css`
pub async fn styles() -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"));
    let cache = (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    ([kind, cache], STYLES).into_response()
}

/// `GET /sandbox/checkout/{id}`
pub async fn checkout(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Response {
    match app.clients.checkout().render_sandbox(RenderSandboxRequest { checkout_id: id }).await {
        Ok(answer) => ([NO_STORE], Html(answer.into_inner().html)).into_response(),
        Err(status) => sorry(&status.into()),
    }
}

/// `POST /sandbox/checkout/{id}`
pub async fn pay(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    form: Result<Form<HashMap<String, String>>, FormRejection>,
) -> Response {
    let Ok(Form(form)) = form else { return sorry(&Problem::of("invalid")) };
    match app.clients.checkout().submit_sandbox(SubmitSandboxRequest { checkout_id: id, form }).await {
        Ok(answer) => {
            let redirect = answer.into_inner().redirect;
            // Only within our own origin.
            let own = redirect.starts_with('/') && !redirect.starts_with("//") && !redirect.contains('\\');
            ([NO_STORE], Redirect::to(if own { &redirect } else { "/membership" })).into_response()
        }
        Err(status) => sorry(&status.into()),
    }
}

/// What was done with a webhook.
#[derive(Debug, Serialize)]
pub struct Received {
    success: bool,
}

/// `POST /webhooks/{provider}`: the body goes on byte by byte, since its signature covers it.
pub async fn webhook(
    Shared(app): Shared<State>,
    Segment(provider): Segment<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer<Json<Received>> {
    let headers = headers
        .iter()
        .filter(|(name, _)| **name != header::AUTHORIZATION && **name != header::COOKIE)
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect();
    let request = ReceiveWebhookRequest { provider, headers, body: body.into() };
    app.clients.checkout().receive_webhook(request).await?;
    Ok(Json(Received { success: true }))
}

/// A mail of the development mailbox.
#[derive(Debug, Serialize)]
pub struct MailDto {
    to: String,
    subject: String,
    text: String,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
}

async fn mails(app: &State) -> Answer<Vec<Mail>> {
    Ok(app.clients.mailbox().list_mail(ListMailRequest {}).await?.into_inner().mails)
}

/// `GET /dev/mailbox.json`
pub async fn mailbox_json(Shared(app): Shared<State>) -> Answer<Response> {
    let mails: Vec<MailDto> = mails(&app)
        .await?
        .into_iter()
        .map(|mail| MailDto {
            at: when(mail.at.as_ref()),
            to: mail.to,
            subject: mail.subject,
            text: mail.text,
        })
        .collect();
    Ok(([NO_STORE], Json(mails)).into_response())
}

/// `GET /dev/mailbox`
pub async fn mailbox(Shared(app): Shared<State>) -> Response {
    let mails = match mails(&app).await {
        Ok(mails) => mails,
        Err(problem) => return sorry(&problem),
    };
    let mut body =
        String::from("<h1>Mailbox</h1>\n<p>What the house would have sent. Only in development.</p>\n");
    if mails.is_empty() {
        body.push_str("<p>No mail yet.</p>\n");
    }
    for mail in &mails {
        let at = when(mail.at.as_ref());
        body.push_str(&format!(
            "<article>\n<h2>{}</h2>\n<p>To {} at {:02}:{:02}:{:02} UTC</p>\n<pre>{}</pre>\n</article>\n",
            escape(&mail.subject),
            escape(&mail.to),
            at.hour(),
            at.minute(),
            at.second(),
            linked(&mail.text),
        ));
    }
    ([NO_STORE], Html(page("Mailbox", &body))).into_response()
}

fn sorry(problem: &Problem) -> Response {
    let body = format!(
        "<h1>Sorry</h1>\n<p>{}</p>\n<p><a href=\"/membership\">Back to the plans</a></p>\n",
        escape(&problem.msg())
    );
    let status: StatusCode = problem.status();
    (status, [NO_STORE], Html(page("Sorry", &body))).into_response()
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"/sandbox.css\">\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escaped text whose addresses can be clicked.
fn linked(text: &str) -> String {
    let link = |word: &str| {
        let escaped = escape(word);
        if word.starts_with("http://") || word.starts_with("https://") {
            format!("<a href=\"{escaped}\">{escaped}</a>")
        } else {
            escaped
        }
    };
    text.split_inclusive(char::is_whitespace)
        .map(|piece| {
            let word = piece.trim_end();
            format!("{}{}", link(word), &piece[word.len()..])
        })
        .collect()
}
