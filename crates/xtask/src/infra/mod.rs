//! PostgreSQL, Redis and RabbitMQ: private instances on loopback, or those that the environment names.

mod postgres;
mod rabbit;
mod redis;

use std::{
    env,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use crate::{Outcome, instance::Instance, progress::Step};

pub use postgres::{Postgres, psql};
pub use rabbit::waiting;

/// The servers that an instance stands on.
pub struct Infra {
    /// `None` when every service's database is configured from outside.
    pub postgres: Option<Postgres>,
    pub redis_url: String,
    pub amqp_url: String,
    /// `None` when it is configured from outside.
    broker: Option<rabbit::Starting>,
}

impl Infra {
    /// Waits for what [`begin`] did not wait for.
    pub fn ready(&self) -> Outcome {
        self.broker.as_ref().map_or(Ok(()), rabbit::Starting::ready)
    }
}

/// What PostgreSQL's data must survive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A power cut.
    Kept,
    /// The end of its server, however it comes: what is committed has been given to the kernel.
    Server,
    /// Nothing: tests.
    Forgotten,
}

/// Services with a database of their own.
pub const DATABASES: [&str; 5] = ["auth", "catalog", "chat", "media", "billing"];

/// Starts what is not configured from outside; what still runs from before is used again.
pub fn start(instance: &Instance, durability: Durability, step: &mut Step) -> Outcome<Infra> {
    let infra = begin(instance, durability, step)?;
    step.at("RabbitMQ");
    infra.ready()?;
    Ok(infra)
}

/// The same without waiting for RabbitMQ, which takes longest: databases and seeds do without.
pub fn begin(instance: &Instance, durability: Durability, step: &mut Step) -> Outcome<Infra> {
    let configured = |name: &str| env::var(name).ok().filter(|v| !v.is_empty());
    let outside = DATABASES.iter().all(|d| configured(&database_variable(d)).is_some());

    let (amqp_url, broker) = match configured("AMQP_URL") {
        Some(url) => (url, None),
        None => {
            let broker = rabbit::begin(instance)?;
            (broker.address(), Some(broker))
        }
    };
    step.at("PostgreSQL");
    let postgres = if outside { None } else { Some(postgres::start(instance, durability)?) };
    step.at("Redis");
    let redis_url = match configured("REDIS_URL") {
        Some(url) => url,
        None => redis::start(instance)?,
    };
    Ok(Infra { postgres, redis_url, amqp_url, broker })
}

/// Name of the variable that configures a service's database from outside.
pub fn database_variable(service: &str) -> String {
    format!("{}_DATABASE_URL", service.to_uppercase())
}

/// Whether something listens on a loopback port.
pub fn listens(port: u16) -> bool {
    let addr = SocketAddr::from(([127, 0, 0, 1], port));
    TcpStream::connect_timeout(&addr, Duration::from_millis(200)).is_ok()
}

/// Sends bytes and reads the beginning of the answer.
fn converse(port: u16, say: &[u8]) -> Option<Vec<u8>> {
    let addr = SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&addr, Duration::from_millis(500)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
    stream.write_all(say).ok()?;
    let mut answer = vec![0; 1024];
    let n = stream.read(&mut answer).ok()?;
    answer.truncate(n);
    Some(answer)
}

/// Status code of a GET on a loopback port.
pub fn get_status(port: u16, path: &str) -> Option<u16> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    let answer = converse(port, request.as_bytes())?;
    String::from_utf8_lossy(&answer).split(' ').nth(1)?.parse().ok()
}
