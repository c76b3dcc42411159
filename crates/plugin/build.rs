//! Compiles the C++ shim against the headers of one version of LLVM.

use std::process::Command;

/// What the plugin is written for, the best first.
const VERSIONS: [u32; 4] = [22, 21, 20, 19];

fn main() {
    println!("cargo:rerun-if-changed=src/shim.cpp");
    println!("cargo:rerun-if-changed=src/versions.h");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let asked: Vec<u32> =
        VERSIONS.into_iter().filter(|v| std::env::var_os(format!("CARGO_FEATURE_LLVM_{v}")).is_some()).collect();
    let wanted = if asked.is_empty() { VERSIONS.to_vec() } else { asked };
    let configs: Vec<String> = match std::env::var("LLVM_CONFIG") {
        Ok(config) => vec![config],
        Err(_) => wanted.iter().map(|v| format!("llvm-config-{v}")).collect(),
    };
    let Some(flags) = configs.iter().find_map(|config| flags(config)) else {
        panic!(
            "no {}: the development files of LLVM are missing; `make setup` installs those of the versions it names",
            configs.join(", ")
        );
    };
    let mut build = cc::Build::new();
    build.cpp(true).file("src/shim.cpp").flag("-std=c++17").flag("-fno-rtti").flag("-fno-exceptions").warnings(false);
    for flag in flags.split_whitespace().filter(|f| f.starts_with("-I") || f.starts_with("-D")) {
        build.flag(flag);
    }
    build.compile("symcrete_shim");
}

fn flags(config: &str) -> Option<String> {
    let output = Command::new(config).arg("--cxxflags").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
