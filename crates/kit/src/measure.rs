//! Rate, errors and duration of every RPC, as whoever serves it and as whoever calls it sees them.
//!
//! The duration is that until the answer begins; how it ended is told by its trailers, which for a stream come much
//! later, so the two are written apart.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Frame, SizeHint};
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};

/// Which end of the call this is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Server,
    Client,
}

/// A call that has begun.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    side: Side,
    method: &'static str,
    began: Instant,
}

/// The method of a path as it stands in the contracts. Whoever calls decides what a path says: all that no contract
/// knows is one method, or there would be as many time series as callers have ideas.
fn method(path: &str) -> &'static str {
    proto::METHODS.binary_search(&path).map_or("other", |at| &proto::METHODS[at][1..])
}

impl Call {
    pub(crate) fn begin(side: Side, path: &str) -> Self {
        Self { side, method: method(path), began: Instant::now() }
    }

    /// Writes down how long the answer took, and has its end written down when that comes.
    pub(crate) fn answered(self, response: Response<Body>) -> Response<Body> {
        self.took();
        match Status::from_header_map(response.headers()) {
            Some(status) => {
                self.ended(status.code());
                response
            }
            None => response.map(|body| Body::new(Counted { body, call: Some(self) })),
        }
    }

    /// There was no answer at all.
    pub(crate) fn failed(self, code: Code) {
        self.took();
        self.ended(code);
    }

    fn took(self) {
        let seconds = self.began.elapsed().as_secs_f64();
        match self.side {
            Side::Server => {
                metrics::histogram!("rpc_server_duration_seconds", "method" => self.method).record(seconds);
            }
            Side::Client => {
                metrics::histogram!("rpc_client_duration_seconds", "method" => self.method).record(seconds);
            }
        }
    }

    fn ended(self, code: Code) {
        let code = format!("{code:?}");
        match self.side {
            Side::Server => {
                metrics::counter!("rpc_server_requests_total", "method" => self.method, "code" => code)
                    .increment(1);
            }
            Side::Client => {
                metrics::counter!("rpc_client_requests_total", "method" => self.method, "code" => code)
                    .increment(1);
            }
        }
    }
}

/// The body of an answer, whose end is counted once: by its trailers, by what broke it, or as `Cancelled` when whoever
/// reads it leaves before.
struct Counted {
    body: Body,
    call: Option<Call>,
}

impl Counted {
    fn end(&mut self, code: Code) {
        if let Some(call) = self.call.take() {
            call.ended(code);
        }
    }
}

fn told(trailers: &HeaderMap) -> Code {
    Status::from_header_map(trailers).map_or(Code::Ok, |status| status.code())
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(trailers) = frame.trailers_ref() {
                    self.end(told(trailers));
                }
            }
            Some(Err(status)) => self.end(status.code()),
            None => self.end(Code::Ok),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.end(Code::Cancelled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_contracts_name_methods() {
        assert_eq!(method("/troupe.chat.v1.Chats/ListChats"), "troupe.chat.v1.Chats/ListChats");
        assert_eq!(method("/troupe.chat.v1.Chats/ListChats0"), "other");
        assert_eq!(method("/anything/at/all"), "other");
    }
}
