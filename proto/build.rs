//! Compiles the contracts without `protoc`: protox parses, tonic generates. Also lists the methods
//! that the contracts mark as safe to repeat, which is what kit's retry layer goes by.

use std::{env, fs, path::PathBuf};

use prost::Message as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    collect("troupe".into(), &mut files)?;
    files.sort();
    println!("cargo:rerun-if-changed=troupe");

    let descriptors = protox::compile(&files, ["."])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    fs::write(out.join("methods.rs"), paths(&descriptors, |_| true))?;
    fs::write(out.join("repeatable.rs"), paths(&descriptors, |level| level != UNKNOWN))?;
    fs::write(out.join("read_only.rs"), paths(&descriptors, |level| level == NO_SIDE_EFFECTS))?;

    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}

fn collect(folder: PathBuf, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(path, files)?;
        } else if path.extension().is_some_and(|e| e == "proto") {
            files.push(path);
        }
    }
    Ok(())
}

/// `google.protobuf.MethodOptions.IdempotencyLevel`.
const UNKNOWN: i32 = 0;
const NO_SIDE_EFFECTS: i32 = 1;

/// A Rust slice of the paths (`/package.Service/Method`) whose idempotency level is wanted.
fn paths(set: &prost_types::FileDescriptorSet, wanted: impl Fn(i32) -> bool) -> String {
    let mut paths = Vec::new();
    for file in &set.file {
        for service in &file.service {
            for method in &service.method {
                let level = method.options.as_ref().and_then(|o| o.idempotency_level).unwrap_or(UNKNOWN);
                if wanted(level) {
                    paths.push(format!("/{}.{}/{}", file.package(), service.name(), method.name()));
                }
            }
        }
    }
    paths.sort();
    format!("&{paths:?}")
}
