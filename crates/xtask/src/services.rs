//! The processes of the house and what each is told.

use std::{env, path::PathBuf};

use crate::{
    Outcome,
    infra::{Infra, database_variable},
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

/// What all processes of one instance are told.
pub struct Environment {
    shared: Vec<(String, String)>,
    databases: Vec<(&'static str, String)>,
    web_port: u16,
    binaries: PathBuf,
}

impl Environment {
    /// `extra` wins over everything but the databases.
    pub fn new(
        instance: &Instance,
        infra: &Infra,
        web_port: u16,
        binaries: PathBuf,
        extra: &[(String, String)],
    ) -> Outcome<Self> {
        let address = format!("http://127.0.0.1:{web_port}");
        let run = |folder: &str| instance.run.join(folder).display().to_string();
        let mut shared: Vec<(String, String)> = [
            ("REDIS_URL", infra.redis_url.clone()),
            ("AMQP_URL", infra.amqp_url.clone()),
            ("TROUPE_DEV", "true".into()),
            ("PUBLIC_URL", address.clone()),
            ("BILLING_WEBHOOK_URL", format!("{address}/webhooks/sandbox")),
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
        for key in ["AUTH_CODE_KEY", "AUTH_KEY_SECRET", "MEDIA_SIGNING_KEY", "BILLING_WEBHOOK_SECRET"] {
            shared.push((key.into(), instance.secret(key)?));
        }
        for service in &ALL {
            if let Some(variable) = service.address {
                let port = instance.port(&format!("{}-grpc", service.name))?;
                shared.push((variable.into(), format!("http://127.0.0.1:{port}")));
            }
        }
        // What the caller configured wins: LLM_BASE_URL, SMTP_URL, OTEL_EXPORTER_OTLP_ENDPOINT and the like
        // are inherited; of the above, what is set already stays.
        shared.retain(|(key, _)| env::var_os(key).is_none());
        shared.extend_from_slice(extra);

        let mut databases = Vec::new();
        for name in crate::infra::DATABASES {
            let url = match (env::var(database_variable(name)), &infra.postgres) {
                (Ok(url), _) => url,
                (_, Some(postgres)) => postgres.database(instance, name)?,
                (_, None) => return Err(format!("{} is not set", database_variable(name))),
            };
            databases.push((name, url));
        }
        Ok(Self { shared, databases, web_port, binaries })
    }

    /// A command of the service's binary with everything it is told.
    pub fn command(&self, instance: &Instance, service: &Service) -> Outcome<std::process::Command> {
        let mut command = std::process::Command::new(self.binaries.join(service.name));
        command.current_dir(&instance.run).envs(self.shared.iter().map(|(k, v)| (k, v)));
        if let Some((_, url)) = self.databases.iter().find(|(name, _)| Some(*name) == service.database) {
            command.env("DATABASE_URL", url);
        } else {
            command.env_remove("DATABASE_URL");
        }
        let any = |port: u16| format!("127.0.0.1:{port}");
        command.env("OPS_ADDR", any(instance.port(&format!("{}-ops", service.name))?));
        if service.address.is_some() {
            command.env("GRPC_ADDR", any(instance.port(&format!("{}-grpc", service.name))?));
        }
        if service.name == "bff" {
            command.env("HTTP_ADDR", any(self.web_port));
        }
        Ok(command)
    }
}
