//! What is generated from `proto/` is checked in, so that nobody needs a compiler of protocols to build this crate.
#![allow(missing_docs, reason = "nobody uses a test from outside")]

use prost::Message;
use std::fs;
use std::path::{Path, PathBuf};

const PROTOS: [&str; 2] = [
    "grpc/health/v1/health.proto",
    "inference/grpc_service.proto",
];

/// Rewrites what is checked in.
const UPDATE: &str = "UPDATE_GENERATED";

/// What `proto/generated` ought to hold, by file name.
fn generate() -> Vec<(String, Vec<u8>)> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let mut descriptors = protox::compile(PROTOS, [&proto]).expect("our own protocols compile");
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("generated-{}", std::process::id()));
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).expect("a folder for what is generated");
    tonic_prost_build::configure()
        .out_dir(&out)
        .btree_map(".")
        // only tests ask
        .client_mod_attribute(".", "#[cfg(test)]")
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors.clone())
        .expect("compiled protocols can be turned into code");
    // comments and places are for people
    for file in &mut descriptors.file {
        file.source_code_info = None;
    }
    let mut files = vec![("descriptors.bin".to_owned(), descriptors.encode_to_vec())];
    for entry in fs::read_dir(&out).expect("just made") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().expect("a file").to_string_lossy();
        files.push((name.into_owned(), fs::read(&path).expect("just written")));
    }
    let _ = fs::remove_dir_all(&out);
    files.sort();
    files
}

#[test]
fn what_is_checked_in_is_what_the_protocols_say() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto/generated");
    let update = std::env::var_os(UPDATE).is_some();
    let files = generate();
    for (name, bytes) in &files {
        let path = home.join(name);
        if update {
            fs::write(&path, bytes).expect("the folder can be written");
        }
        let checked_in = fs::read(&path).unwrap_or_default();
        assert!(
            checked_in == *bytes,
            "{} is not what proto/ says: {UPDATE}=1 rewrites it",
            path.display()
        );
    }
    let names = files.iter().map(|(name, _)| name.clone());
    let mut there: Vec<_> = fs::read_dir(&home)
        .expect("the folder is checked in")
        .map(|entry| {
            entry
                .expect("a readable folder")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    there.sort();
    assert_eq!(there, names.collect::<Vec<_>>(), "a file too many");
}
