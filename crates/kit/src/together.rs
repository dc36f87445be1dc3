//! A connection whose small writes go out together.
//!
//! HTTP/2 writes the head of a call, then asks for room for its message, and gets it once the head is on its way: two writes,
//! two packets, and a callee that is woken twice. The replies of a callee, and the pieces of many streams, are written one by
//! one as well. What is flushed here waits until all tasks that are ready have had their turn, and what they write meanwhile
//! goes along.
//!
//! It is for h2 alone, which reads first and flushes last each time it is polled, and shuts a connection down before it lets
//! go of it.

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

/// Bytes that wait at most; what is more is written at once.
const ROOM: usize = 16 * 1024;

/// Bytes that were written, for the flush of the next round.
pub(crate) struct Together<T> {
    io: T,
    waiting: Vec<u8>,
    /// Of these, so many are written.
    written: usize,
    flush: Flush,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flush {
    Unasked,
    /// The task that asked was woken, to be polled again when the others have had their turn.
    Asked,
    /// It is polled again.
    Due,
}

impl<T> Together<T> {
    pub(crate) fn new(io: T) -> Self {
        Self { io, waiting: Vec::new(), written: 0, flush: Flush::Unasked }
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
        self.flush = Flush::Unasked;
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Together<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.flush == Flush::Asked {
            self.flush = Flush::Due;
        }
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
        if self.waiting.is_empty() {
            return Pin::new(&mut self.io).poll_flush(cx);
        }
        match self.flush {
            Flush::Unasked => {
                self.flush = Flush::Asked;
                // Woken while it runs, a task goes to the end of the line.
                cx.waker().wake_by_ref();
            }
            Flush::Asked => {}
            Flush::Due => ready!(self.drain(cx))?,
        }
        Poll::Ready(Ok(()))
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
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Keeps each write by itself, as a packet, and has nothing to read.
    #[derive(Default)]
    struct Packets {
        written: Vec<Vec<u8>>,
        /// Bytes that a packet holds at most; after each the next has to wait.
        small: Option<usize>,
        full: bool,
    }

    impl AsyncRead for Packets {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Packets {
        fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
            if let Some(most) = self.small {
                self.full = !self.full;
                if !self.full {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                self.written.push(buf[..buf.len().min(most)].to_vec());
                return Poll::Ready(Ok(buf.len().min(most)));
            }
            self.written.push(buf.to_vec());
            Poll::Ready(Ok(buf.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// A turn of h2: it reads, writes and flushes.
    async fn turn(connection: &mut Together<Packets>, pieces: &[&[u8]]) {
        assert_eq!(connection.read(&mut [0]).await.expect("nothing"), 0);
        for piece in pieces {
            connection.write_all(piece).await.expect("taken");
            connection.flush().await.expect("asked");
        }
        connection.flush().await.expect("asked");
    }

    #[tokio::test]
    async fn what_others_write_before_the_next_round_goes_along() {
        let mut connection = Together::new(Packets::default());
        turn(&mut connection, &[b"head "]).await;
        assert!(connection.io.written.is_empty(), "others go first");
        connection.write_all(b"message").await.expect("taken");
        turn(&mut connection, &[]).await;
        assert_eq!(connection.io.written, [b"head message"]);

        turn(&mut connection, &[b"one ", b"two ", b"three"]).await;
        turn(&mut connection, &[]).await;
        assert_eq!(connection.io.written[1..], [b"one two three"], "however often it is flushed in a round");
    }

    #[tokio::test]
    async fn what_is_large_waits_for_nobody_and_comes_after_what_waited() {
        let (small, large) = (vec![1; ROOM - 1], vec![2; ROOM + 1]);
        let mut connection = Together::new(Packets::default());
        connection.write_all(&small).await.expect("taken");
        connection.write_all(&large).await.expect("written");
        assert_eq!(connection.io.written, [small.clone(), large]);

        connection.write_all(&small).await.expect("taken");
        connection.write_all(&small).await.expect("taken");
        connection.shutdown().await.expect("written, then shut");
        assert_eq!(connection.io.written[2..], [small.clone(), small]);
    }

    #[tokio::test]
    async fn a_socket_that_takes_little_at_a_time_gets_all_of_it_in_order() {
        let mut connection = Together::new(Packets { small: Some(3), ..Packets::default() });
        turn(&mut connection, &[b"the rain", b" goes on"]).await;
        turn(&mut connection, &[b", and on"]).await;
        connection.write_all(&vec![b'!'; ROOM]).await.expect("taken");
        connection.shutdown().await.expect("written, then shut");
        let whole = connection.io.written.concat();
        assert!(
            whole.starts_with(b"the rain goes on, and on!") && whole.len() == ROOM + 24,
            "{}",
            whole.len()
        );
    }
}
