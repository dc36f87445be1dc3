//! The processes of the house and what each is told.

use std::{env, path::PathBuf};

use crate::{
    Outcome,
    infra::{Infra, database_variable},
    inside,
    instance::Instance,
};

/// One process.
pub struct Service {
    pub name: &'static str,
    /// Whose database it uses.
    pub database: Option<&'static str>,
    /// Whether it answers gRPC, and under which variable others find it.
    pub address: Option<&'static str>,
}

/// The name of a process among those of its service, from 0: what its ports and its log go by.
pub fn replica(name: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) }
}

/// What glibc's allocator is told before a process starts, in the images too: how many freed pieces of each size a thread
/// keeps at hand. A turn and a page free some hundred, and with the usual seven most of them go a longer way: a sixth of
/// what a turn costs in `chat`. It holds back 4 MB a thread at most.
pub const ALLOCATOR: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=120");

/// Services that would keep every core busy by themselves, with the niceness of their sessions.
///
/// Linux shares its cores among sessions first where no container has done so (`sched_autogroup_enabled`, sched(7)), and
/// a thread's niceness counts only within its session: a backend of PostgreSQL, which is one, waited up to 88 ms behind
/// threads of `auth` that hash at niceness 10. So `auth` is a session too, whose own niceness makes it a third of another
/// (docs/decisions/0032). In a cluster a container's share is by what it asks for.
pub const ASIDE: [(&str, u8); 1] = [("auth", 5)];

/// The niceness of the session of a process, by the name of the process; `None` when it stays in that of whoever starts it.
pub fn session(process: &str) -> Option<u8> {
    let of = |service: &str| {
        process.strip_prefix(service).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    ASIDE.iter().find(|(service, _)| of(service)).map(|(_, niceness)| *niceness)
}

/// In the order of their start: `auth` first, whose keys the others wait for.
pub const ALL: [Service; 7] = [
    Service { name: "auth", database: Some("auth"), address: Some("AUTH_GRPC_URL") },
    Service { name: "billing", database: Some("billing"), address: Some("BILLING_GRPC_URL") },
    Service { name: "media-api", database: Some("media"), address: Some("MEDIA_GRPC_URL") },
    Service { name: "catalog", database: Some("catalog"), address: Some("CATALOG_GRPC_URL") },
    Service { name: "chat", database: Some("chat"), address: Some("CHAT_GRPC_URL") },
    Service { name: "media-worker", database: Some("media"), address: None },
    Service { name: "bff", database: None, address: None },
];

/// Seconds in which Envoy, which asks every two, learns that a replica ends and goes to the other.
const LEAVE_S: &str = "3";

/// What all processes of one instance are told.
pub struct Environment {
    shared: Vec<(String, String)>,
    databases: Vec<(&'static str, String)>,
    web: Web,
    /// Where the BFF finds all services, when Envoy stands between.
    inside: Option<String>,
    binaries: PathBuf,
}

/// Where people reach the house.
#[derive(Debug, Clone, Copy)]
pub struct Web {
    pub port: u16,
    /// Whether Envoy takes the requests there, or the one BFF itself.
    pub edge: bool,
    /// Processes of each service.
    pub replicas: usize,
}

impl Web {
    pub fn address(&self) -> String {
        let scheme = if self.edge { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// Whether the BFF reaches the replicas of the services through Envoy too; the services reach each other by
    /// themselves.
    pub fn inside(&self) -> bool {
        self.edge && self.replicas > 1
    }

    /// Where a replica of the BFF listens.
    pub fn bff(&self, instance: &Instance, number: usize) -> Outcome<u16> {
        if self.edge { instance.port(&format!("{}-http", replica("bff", number))) } else { Ok(self.port) }
    }
}

impl Environment {
    /// `extra` wins over everything; a service's own database goes by the name of its variable
    /// ([`database_variable`]).
    pub fn new(
        instance: &Instance,
        infra: &Infra,
        web: Web,
        binaries: PathBuf,
        extra: &[(String, String)],
    ) -> Outcome<Self> {
        let address = web.address();
        // A provider's webhooks come from outside; the sandbox lives here and trusts no certificate of ours.
        let inside = format!("http://127.0.0.1:{}", web.bff(instance, 0)?);
        let run = |folder: &str| instance.run.join(folder).display().to_string();
        let mut shared: Vec<(String, String)> = [
            ("REDIS_URL", infra.redis_url.clone()),
            ("AMQP_URL", infra.amqp_url.clone()),
            ("TROUPE_ENV", "dev".into()),
            ("PUBLIC_URL", address),
            ("BILLING_WEBHOOK_URL", format!("{inside}/webhooks/sandbox")),
            ("FORWARDED_HOPS", usize::from(web.edge).to_string()),
            ("MAIL_DIR", run("mail")),
            ("MEDIA_DIR", run("media")),
            ("WEB_DIR", instance.root.join("web/dist").display().to_string()),
            (
                "AUTH_JWKS_URL",
                format!("http://127.0.0.1:{}/.well-known/jwks.json", instance.port("auth-ops")?),
            ),
        ]
        .map(|(k, v)| (k.to_owned(), v))
        .into();
        if web.replicas > 1 {
            shared.push(("SHUTDOWN_LEAVE_S".into(), LEAVE_S.into()));
        }
        for key in ["AUTH_CODE_KEY", "AUTH_KEY_SECRET", "MEDIA_SIGNING_KEY", "BILLING_WEBHOOK_SECRET"] {
            shared.push((key.into(), instance.secret(key)?));
        }
        for service in &ALL {
            if let Some(variable) = service.address {
                let addresses: Outcome<Vec<String>> = (0..web.replicas)
                    .map(|number| instance.port(&format!("{}-grpc", replica(service.name, number))))
                    .map(|port| port.map(|port| format!("http://127.0.0.1:{port}")))
                    .collect();
                shared.push((variable.into(), addresses?.join(",")));
            }
        }
        // What the caller configured wins: LLM_BASE_URL, SMTP_URL, OTEL_EXPORTER_OTLP_ENDPOINT and the like
        // are inherited; of the above, what is set already stays.
        shared.retain(|(key, _)| env::var_os(key).is_none());
        shared.extend_from_slice(extra);

        let mut databases = Vec::new();
        for name in crate::infra::DATABASES {
            let variable = database_variable(name);
            let url = match (env::var(&variable), &infra.postgres) {
                (Ok(url), _) => url,
                (_, Some(postgres)) => postgres.database(instance, name)?,
                (_, None) => return Err(format!("{variable} is not set")),
            };
            let other = extra.iter().find(|(key, _)| *key == variable).map(|(_, url)| url.clone());
            databases.push((name, other.unwrap_or(url)));
        }
        // Chosen once: a port that is listened on already would be taken for somebody else's.
        let inside =
            if web.inside() { Some(format!("http://127.0.0.1:{}", inside::port(instance)?)) } else { None };
        Ok(Self { shared, databases, web, inside, binaries })
    }

    /// A command of the service's binary with everything it is told.
    pub fn command(&self, instance: &Instance, service: &Service) -> Outcome<std::process::Command> {
        self.command_of(instance, service, 0)
    }

    /// The same for one of several processes.
    pub fn command_of(
        &self,
        instance: &Instance,
        service: &Service,
        number: usize,
    ) -> Outcome<std::process::Command> {
        let name = replica(service.name, number);
        let mut command = std::process::Command::new(self.binaries.join(service.name));
        command.current_dir(&instance.run).envs(self.shared.iter().map(|(k, v)| (k, v)));
        if env::var_os(ALLOCATOR.0).is_none() {
            command.env(ALLOCATOR.0, ALLOCATOR.1);
        }
        if let Some((_, url)) = self.databases.iter().find(|(name, _)| Some(*name) == service.database) {
            command.env("DATABASE_URL", url);
        } else {
            command.env_remove("DATABASE_URL");
        }
        let any = |port: u16| format!("127.0.0.1:{port}");
        command.env("OPS_ADDR", any(instance.port(&format!("{name}-ops"))?));
        if service.address.is_some() {
            command.env("GRPC_ADDR", any(instance.port(&format!("{name}-grpc"))?));
        }
        if service.name == "bff" {
            command.env("HTTP_ADDR", any(self.web.bff(instance, number)?));
            if let Some(address) = &self.inside {
                let told = |variable: &str| self.shared.iter().any(|(key, _)| key == variable);
                for variable in ALL.iter().filter_map(|s| s.address).filter(|v| told(v)) {
                    command.env(variable, address);
                }
            }
        }
        Ok(command)
    }
}
