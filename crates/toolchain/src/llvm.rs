//! Which LLVM is used: the newest for which there are both a clang and a plugin, unless the user names a clang.
//!
//! A plugin works in the version it was built for and in no other, so the two are only ever chosen together.

use crate::layout::{Language, Layout, LayoutError};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The versions that the plugin can be built for, the best first.
pub const VERSIONS: [u32; 4] = [22, 21, 20, 19];

/// A clang, and its version where it says one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Llvm {
    pub clang: PathBuf,
    pub version: Option<u32>,
}

/// The file that holds the plugin for a version.
pub fn plugin_name(version: u32) -> String {
    format!("libsymcrete_plugin-{version}.so")
}

impl Layout {
    /// The versions there are plugins for, the best first.
    pub fn plugins(&self) -> Vec<u32> {
        VERSIONS.into_iter().filter(|v| self.library.join(plugin_name(*v)).is_file()).collect()
    }

    /// The clang that is used.
    pub fn llvm(&self) -> Result<Llvm, LayoutError> {
        self.chosen.get_or_init(|| self.choose()).clone()
    }

    /// The same pieces with another clang.
    pub fn with_clang(&self, clang: PathBuf) -> Layout {
        let mut places = self.places.clone();
        places.clang = Some(clang);
        Layout { places, library: self.library.clone(), chosen: Default::default() }
    }

    fn choose(&self) -> Result<Llvm, LayoutError> {
        if let Some(clang) = &self.places.clang {
            return Ok(Llvm { version: version_of(clang), clang: clang.clone() });
        }
        let plugins = self.plugins();
        // Without any plugin a clang is still good for plain builds.
        let wanted = if plugins.is_empty() { VERSIONS.to_vec() } else { plugins };
        if let Some(found) = wanted.iter().find_map(|v| Some((*v, self.program_of("clang", *v)?))) {
            return Ok(Llvm { version: Some(found.0), clang: found.1 });
        }
        // Where packages do not carry the version in their names.
        let plain = self.any_program("clang").map(|clang| Llvm { version: version_of(&clang), clang });
        plain.filter(|llvm| llvm.version.is_some_and(|v| wanted.contains(&v))).ok_or_else(|| LayoutError::Missing {
            what: wanted.iter().map(|v| format!("clang-{v}")).collect::<Vec<_>>().join(" or "),
            looked: "PATH".into(),
        })
    }

    pub fn clang(&self, language: Language) -> Result<PathBuf, LayoutError> {
        let clang = self.llvm()?.clang;
        Ok(match language {
            Language::C => clang,
            Language::Cxx => cxx_beside(&clang),
        })
    }

    /// The plugin for the clang that is used.
    pub fn plugin(&self) -> Result<PathBuf, LayoutError> {
        let llvm = self.llvm()?;
        let plugins = self.plugins();
        match llvm.version {
            Some(version) if plugins.contains(&version) => Ok(self.library.join(plugin_name(version))),
            _ if plugins.is_empty() => Err(LayoutError::Missing {
                what: plugin_name(llvm.version.unwrap_or(VERSIONS[0])),
                looked: self.library.display().to_string(),
            }),
            version => Err(LayoutError::NoPlugin {
                clang: llvm.clang.display().to_string(),
                version: version
                    .map_or("which does not start or is no clang".into(), |v| format!("which is version {v}")),
                plugins: plugins.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// An LLVM program (`llvm-cov`, `ld.lld`, …) that goes with the clang that is used.
    pub fn program(&self, name: &str) -> Result<PathBuf, LayoutError> {
        let llvm = self.llvm()?;
        let versioned = llvm.version.and_then(|version| self.program_of(name, version));
        let beside = || Some(llvm.clang.with_file_name(name)).filter(|p| p.is_file());
        versioned.or_else(beside).or_else(|| self.any_program(name)).ok_or_else(|| LayoutError::Missing {
            what: llvm.version.map_or(name.to_string(), |v| format!("{name}-{v}")),
            looked: "PATH".into(),
        })
    }

    /// A program of one version, under Debian's names.
    pub fn program_of(&self, name: &str, version: u32) -> Option<PathBuf> {
        self.any_program(&format!("{name}-{version}"))
    }
}

/// What a clang says of itself; it may be a script that knows more than its name.
fn version_of(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    major(&String::from_utf8_lossy(&output.stdout))
}

/// `Debian clang version 19.1.7 (3~deb12u1)` → 19.
fn major(text: &str) -> Option<u32> {
    let rest = text.split("clang version ").nth(1)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// `clang-22` → `clang++-22`, in the same folder.
fn cxx_beside(clang: &Path) -> PathBuf {
    let name = clang.file_name().and_then(|n| n.to_str()).unwrap_or("clang");
    let cxx = if name.contains("clang++") { name.to_string() } else { name.replacen("clang", "clang++", 1) };
    clang.with_file_name(cxx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Places;
    use std::os::unix::fs::PermissionsExt;

    /// A machine with these compilers on its path, by name and version, and a stage with plugins for these versions.
    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new(compilers: &[(&str, u32)], plugins: &[u32]) -> Machine {
            let root = tempfile::tempdir().unwrap();
            for folder in ["bin", "path", "lib/symcrete"] {
                std::fs::create_dir_all(root.path().join(folder)).unwrap();
            }
            for (name, version) in compilers {
                let script = root.path().join("path").join(name);
                let text = format!("#!/bin/sh\necho 'Some clang version {version}.1.7 (3~deb12u1)'\n");
                std::fs::write(&script, text).unwrap();
                std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
            }
            for version in plugins {
                std::fs::write(root.path().join("lib/symcrete").join(plugin_name(*version)), "").unwrap();
            }
            Machine(root)
        }

        fn layout(&self, clang: Option<&str>) -> Layout {
            Layout::find(Places {
                executable: self.0.path().join("bin/symcrete"),
                clang: clang.map(|name| self.0.path().join("path").join(name)),
                path: vec![self.0.path().join("path")],
                ..Places::default()
            })
        }
    }

    fn names(layout: &Layout) -> (String, String) {
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        (name(layout.clang(Language::C).unwrap()), name(layout.plugin().unwrap()))
    }

    #[test]
    fn the_newest_pair_of_clang_and_plugin_is_used() {
        let machine = Machine::new(&[("clang-20", 20), ("clang-21", 21), ("clang", 21)], &[20, 21]);
        assert_eq!(names(&machine.layout(None)), ("clang-21".into(), "libsymcrete_plugin-21.so".into()));
        let machine = Machine::new(&[("clang-20", 20), ("clang-21", 21)], &[20]);
        assert_eq!(names(&machine.layout(None)), ("clang-20".into(), "libsymcrete_plugin-20.so".into()));
        let machine = Machine::new(&[("clang", 21)], &[20, 21]);
        assert_eq!(names(&machine.layout(None)), ("clang".into(), "libsymcrete_plugin-21.so".into()));
    }

    #[test]
    fn a_named_clang_gets_its_own_plugin_or_none() {
        let machine = Machine::new(&[("clang-20", 20), ("clang-21", 21), ("mine", 20), ("ancient", 14)], &[20, 21]);
        assert_eq!(names(&machine.layout(Some("mine"))), ("mine".into(), "libsymcrete_plugin-20.so".into()));
        assert_eq!(names(&machine.layout(None).with_clang(machine.0.path().join("path/clang-20"))).0, "clang-20");
        let refused = machine.layout(Some("ancient")).plugin().unwrap_err().to_string();
        assert!(refused.contains("version 14") && refused.contains("21, 20"), "{refused}");
        let nothing = machine.layout(Some("no-such")).plugin().unwrap_err().to_string();
        assert!(nothing.contains("no-such"), "{nothing}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let no_clang = Machine::new(&[("clang", 14)], &[20, 21]).layout(None).plugin().unwrap_err().to_string();
        assert!(no_clang.contains("clang-21 or clang-20"), "{no_clang}");
        let no_plugin = Machine::new(&[("mine", 20)], &[]).layout(Some("mine")).plugin().unwrap_err().to_string();
        assert!(no_plugin.contains("libsymcrete_plugin-20.so"), "{no_plugin}");
    }

    #[test]
    fn the_cxx_compiler_lies_beside_the_c_compiler() {
        for (c, cxx) in [("/x/clang-22", "/x/clang++-22"), ("clang", "clang++"), ("/y/clang++", "/y/clang++")] {
            assert_eq!(cxx_beside(Path::new(c)), Path::new(cxx));
        }
    }

    #[test]
    fn versions_as_clangs_print_them() {
        for (text, version) in [
            ("Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc-linux-gnu", Some(19)),
            ("clang version 22.1.8", Some(22)),
            ("Apple clang version 15.0.0 (clang-1500)", Some(15)),
            ("gcc (Debian 12.2.0-14) 12.2.0", None),
            ("", None),
        ] {
            assert_eq!(major(text), version, "{text}");
        }
    }
}
