use super::store;

/// `auth erasures`
#[derive(Debug, Clone, clap::Args)]
pub struct Erasures {
    #[command(flatten)]
    pub database: kit::db::Target,
}

impl Erasures {
    /// Prints the erasures that are not complete, one a line.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub async fn run(&self) -> anyhow::Result<()> {
        for line in self.lines().await? {
            println!("{line}");
        }
        Ok(())
    }

    /// The same, to be looked at.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub async fn lines(&self) -> anyhow::Result<Vec<String>> {
        let db = kit::db::connect(&self.database, kit::db::Pool::default()).await?;
        let open = store::open(&db).await?;
        let line = |e: store::Open| format!("{} since {}: {}", e.user_id, e.at.date(), e.missing.join(", "));
        Ok(open.into_iter().map(line).collect())
    }
}
