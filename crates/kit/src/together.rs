//! A connection whose small writes go out together.
//!
//! HTTP/2 writes the head of a call, then asks for room for its message, and gets it once the head is on its way: two writes,
//! two packets, and a callee that is woken twice. The replies of a callee, and the pieces of many streams, are written one by
//! one as well. Whoever flushes here lets all others who are ready go first, and what they write meanwhile goes along.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tonic::transport::server;

/// Bytes that wait at most; what is larger is written at once.
const ROOM: usize = 16 * 1024;

/// Bytes that wait for the flush, or for a second one when the first let others go first.
pub(crate) struct Together<T> {
    io: T,
    waiting: Vec<u8>,
    /// Of these, so many are written.
    written: usize,
    /// Whether others have had their turn since the flush was asked for.
    waited: bool,
}

impl<T> Together<T> {
    pub(crate) fn new(io: T) -> Self {
        Self { io, waiting: Vec::new(), written: 0, waited: false }
    }
}

impl<T: AsyncWrite + Unpin> Together<T> {
    /// Writes all that waits.
    fn drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.waiting.len() {
            let rest = &self.waiting[self.written..];
            let more = ready!(Pin::new(&mut self.io).poll_write(cx, rest))?;
            if more == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += more;
        }
        self.waiting.clear();
        self.written = 0;
        self.waited = false;
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Together<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Together<T> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length: usize = bufs.iter().map(|buf| buf.len()).sum();
        if self.waiting.len() + length > ROOM {
            ready!(self.drain(cx))?;
        }
        if length > ROOM {
            return Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        }
        for buf in bufs {
            self.waiting.extend_from_slice(buf);
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.waiting.is_empty() {
            if !self.waited {
                self.waited = true;
                // Woken while it runs, a task goes to the end of the line.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            ready!(self.drain(cx))?;
        }
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.drain(cx))?;
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

impl Connection for Together<TcpStream> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl server::Connected for Together<TcpStream> {
    type ConnectInfo = server::TcpConnectInfo;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.io.connect_info()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncWriteExt as _;

    use super::*;

    /// Keeps each write by itself, as a packet.
    #[derive(Default)]
    struct Packets(Vec<Vec<u8>>);

    impl AsyncWrite for Packets {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
            self.0.push(buf.to_vec());
            Poll::Ready(Ok(buf.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn what_others_write_before_their_turn_is_over_goes_along() {
        let mut connection = Together::new(Packets::default());
        connection.write_all(b"head ").await.expect("taken");
        let first = poll_fn(|cx| Poll::Ready(Pin::new(&mut connection).poll_flush(cx))).await;
        assert!(first.is_pending(), "others go first");
        connection.write_all(b"message").await.expect("taken");
        connection.flush().await.expect("written");
        assert_eq!(connection.io.0, [b"head message"]);

        connection.write_all(b"next").await.expect("taken");
        connection.flush().await.expect("written by itself: nobody else came");
        assert_eq!(connection.io.0.last().map(Vec::as_slice), Some(b"next".as_slice()));
    }

    #[tokio::test]
    async fn what_is_large_waits_for_nobody_and_comes_after_what_waited() {
        let (small, large) = (vec![1; ROOM - 1], vec![2; ROOM + 1]);
        let mut connection = Together::new(Packets::default());
        connection.write_all(&small).await.expect("taken");
        connection.write_all(&large).await.expect("written");
        assert_eq!(connection.io.0, [small.clone(), large]);

        connection.write_all(&small).await.expect("taken");
        connection.write_all(&small).await.expect("taken");
        connection.shutdown().await.expect("written, then shut");
        assert_eq!(connection.io.0[2..], [small.clone(), small]);
    }
}
