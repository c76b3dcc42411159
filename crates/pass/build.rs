//! Compiles the C++ shim against LLVM's headers.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/shim.cpp");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let config = std::env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".into());
    let output = Command::new(&config).arg("--cxxflags").output();
    let flags = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => panic!("{config} does not run: LLVM 22's development files are missing; `make setup` installs them"),
    };
    let mut build = cc::Build::new();
    build.cpp(true).file("src/shim.cpp").flag("-std=c++17").flag("-fno-rtti").flag("-fno-exceptions").warnings(false);
    for flag in flags.split_whitespace().filter(|f| f.starts_with("-I") || f.starts_with("-D")) {
        build.flag(flag);
    }
    build.compile("symcrete_shim");
}
