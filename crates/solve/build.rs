//! Finds the Bitwuzla library that `make setup` built into the cache and tells cargo how to link it.
//! Never builds it: that takes minutes and belongs outside `target/`.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=bitwuzla.version");
    println!("cargo:rerun-if-env-changed=SYMCRETE_CACHE");

    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let key = std::fs::read_to_string(manifest.join("bitwuzla.version")).expect("crates/solve/bitwuzla.version");
    let key = key.trim();
    let Some(cache) = cache_folder() else {
        fail("neither SYMCRETE_CACHE nor HOME is set, so there is no place to look for Bitwuzla");
    };
    let lib = cache.join(format!("bitwuzla-{key}")).join("lib");
    println!("cargo:rerun-if-changed={}", lib.display());
    for name in ["libbitwuzla.a", "libcadical.a"] {
        if !lib.join(name).exists() {
            fail(&format!("Bitwuzla is not built yet ({} is missing)", lib.join(name).display()));
        }
    }

    println!("cargo:rustc-link-search=native={}", lib.display());
    println!("cargo:rustc-link-lib=static=bitwuzla");
    println!("cargo:rustc-link-lib=static=cadical");
    // Shared: every Debian has libgmp (coreutils needs it), and GMP's licence asks that it can be replaced.
    println!("cargo:rustc-link-lib=dylib=gmp");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    println!("cargo:rustc-env=BITWUZLA_VERSION={}", key.rsplit_once('-').map_or(key, |(version, _)| version));
}

fn cache_folder() -> Option<PathBuf> {
    match env::var_os("SYMCRETE_CACHE") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => env::var_os("HOME").map(|home| Path::new(&home).join(".cache/symcrete")),
    }
}

fn fail(what: &str) -> ! {
    eprintln!("error: {what}.\n  Run `make setup` in the top folder of the repository, then build again.");
    std::process::exit(1);
}
