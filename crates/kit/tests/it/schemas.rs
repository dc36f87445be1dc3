use std::{fs, path::Path};

/// What kit's queries stand on must be in every service's database, word for word.
#[test]
fn every_service_begins_with_the_house_s_tables() {
    let services = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services");
    for service in ["auth", "catalog", "chat", "media", "billing"] {
        let folder = services.join(service).join("migrations");
        let mut files: Vec<_> =
            fs::read_dir(&folder).expect("migrations").map(|e| e.expect("an entry").path()).collect();
        files.sort();
        let first = fs::read_to_string(&files[0]).expect("readable");
        assert!(
            first.starts_with(troupe_kit::outbox::DDL.trim_end()),
            "{} does not begin with house.sql",
            files[0].display()
        );
    }
}
