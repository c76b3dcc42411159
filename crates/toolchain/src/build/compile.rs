//! Compiles and links one variant of a target.

use super::cache;
use super::error::BuildError;
use super::recorded;
use super::variant::{UNDEFINED_CHECKS, Variant};
use crate::arguments::{CommandLine, InputKind, Role};
use crate::input_functions::{ENV_INPUTS, ENV_PLAIN};
use crate::layout::{Language, Layout};
use crate::wrapper;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One file that takes part, with flags of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    /// Sources are compiled; anything else (objects, archives) goes to the linker.
    pub compiled: bool,
    pub flags: Vec<OsString>,
    /// Where its command runs, and what relative names in it mean.
    pub folder: PathBuf,
    /// It defines a function that is an input: the plugin is to replace it.
    pub asks: bool,
}

/// Builds variants of one target into one folder.
#[derive(Clone, Debug)]
pub struct Builder {
    pub layout: Layout,
    /// Everything built goes below it.
    pub out: PathBuf,
    pub folder: PathBuf,
    pub sources: Vec<Source>,
    /// Used for compiling and for linking.
    pub cflags: Vec<OsString>,
    /// Only for linking, after everything else.
    pub libraries: Vec<OsString>,
    /// `--check undefined`: checks in the tracked build.
    pub undefined: bool,
    pub color: bool,
    /// Functions that are inputs, for the plugin; empty when there are none.
    pub inputs: String,
}

/// A finished program.
#[derive(Clone, Debug)]
pub struct Built {
    pub program: PathBuf,
    /// Warnings of the compiler, as it wrote them; empty when everything came from the cache.
    pub diagnostics: Vec<u8>,
}

/// One object file and the compiler's warnings.
type Made = Result<(PathBuf, Vec<u8>), BuildError>;

/// What is started: the compiler, its arguments, and the plugin's environment.
struct Started {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

impl Builder {
    /// A builder for `files` as the user named them, relative to `folder`.
    pub fn new(
        layout: Layout,
        out: PathBuf,
        folder: PathBuf,
        files: &[PathBuf],
        cflags: Vec<OsString>,
    ) -> Result<Builder, BuildError> {
        let mut sources = Vec::new();
        for path in files {
            let full = folder.join(path);
            let reason = match std::fs::metadata(&full) {
                Err(error) => error.to_string(),
                Ok(data) if data.is_dir() => "is a folder, not a source file".into(),
                Ok(_) => {
                    sources.push(Source {
                        path: path.clone(),
                        compiled: is_source(path),
                        flags: Vec::new(),
                        folder: folder.clone(),
                        asks: false,
                    });
                    continue;
                }
            };
            return Err(BuildError::Source { path: path.clone(), reason });
        }
        Ok(Builder {
            layout,
            out,
            folder,
            sources,
            cflags,
            libraries: Vec::new(),
            undefined: false,
            color: false,
            inputs: String::new(),
        })
    }

    /// The whole program of a variant.
    pub fn build(&self, variant: Variant) -> Result<Built, BuildError> {
        if variant != Variant::Tracked
            && let Some(plain) = recorded::without_instrumented(self)?
        {
            return plain.compiled(variant);
        }
        self.compiled(variant)
    }

    fn compiled(&self, variant: Variant) -> Result<Built, BuildError> {
        let (objects, mut diagnostics) = self.objects(variant)?;
        let (program, more) = self.link(variant, &objects)?;
        diagnostics.extend(more);
        Ok(Built { program, diagnostics })
    }

    /// One object file per source, in order, compiled side by side; files for the linker as they are.
    pub fn objects(&self, variant: Variant) -> Result<(Vec<PathBuf>, Vec<u8>), BuildError> {
        let out = self.out.join(variant.folder());
        std::fs::create_dir_all(&out).map_err(|source| BuildError::Io { path: out.clone(), source })?;
        let results: Mutex<Vec<Option<Made>>> = Mutex::new(self.sources.iter().map(|_| None).collect());
        let next = AtomicUsize::new(0);
        let workers = std::thread::available_parallelism().map_or(1, usize::from).min(self.sources.len());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(source) = self.sources.get(index) else { break };
                        let result = if source.compiled {
                            self.object(variant, &out, index)
                        } else {
                            Ok((source.folder.join(&source.path), Vec::new()))
                        };
                        results.lock().expect("no worker panics")[index] = Some(result);
                    }
                });
            }
        });
        let (mut objects, mut diagnostics) = (Vec::new(), Vec::new());
        for result in results.into_inner().expect("no worker panics").into_iter().flatten() {
            let (object, words) = result?;
            objects.push(object);
            diagnostics.extend(words);
        }
        Ok((objects, diagnostics))
    }

    fn object(&self, variant: Variant, out: &Path, index: usize) -> Made {
        let source = &self.sources[index];
        let stem = source.path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let object = out.join(format!("{index:04}-{stem}.o"));
        let listing = object.with_extension("d");
        let mut user: Vec<OsString> = vec!["-c".into(), source.path.clone().into(), "-o".into(), object.clone().into()];
        user.push("--start-no-unused-arguments".into());
        if variant == Variant::Tracked {
            // Where scopes end decides which line some jumps are the code of.
            user.push("-g".into());
        }
        user.extend(self.cflags.iter().chain(&source.flags).cloned());
        if self.undefined && variant == Variant::Tracked {
            user.extend(UNDEFINED_CHECKS.iter().map(OsString::from));
        }
        user.extend(["-MD".into(), "-MF".into(), listing.clone().into()]);
        user.push("--end-no-unused-arguments".into());
        let language = Language::of_file(&source.path);
        // Whatever else is chosen as input later, the other files stay as they are.
        let inputs = if source.asks { self.inputs.as_str() } else { "" };
        let started = self.command(variant, language, user, &source.folder, inputs)?;
        let command = cache::command_hash(&started.program, &started.arguments, inputs);
        if cache::is_fresh(&object, command) {
            return Ok((object, Vec::new()));
        }
        cache::forget(&object);
        let output = start(&started, &source.folder)?;
        if !output.status.success() {
            return Err(BuildError::Compile { what: source.path.display().to_string(), diagnostics: output.stderr });
        }
        let text = std::fs::read_to_string(&listing).unwrap_or_default();
        let mut made_from = cache::dependencies(&text, &source.folder);
        if variant == Variant::Tracked || source.asks {
            made_from.push(self.layout.plugin()?);
        }
        cache::remember(&object, command, made_from)
            .map_err(|source| BuildError::Io { path: object.clone(), source })?;
        Ok((object, output.stderr))
    }

    /// Links objects of a variant; the program is named after the variant's folder.
    pub fn link(&self, variant: Variant, objects: &[PathBuf]) -> Result<(PathBuf, Vec<u8>), BuildError> {
        let out = self.out.join(variant.folder());
        let target = out.join("program");
        let mut user: Vec<OsString> = objects.iter().map(OsString::from).collect();
        user.push("--start-no-unused-arguments".into());
        user.extend(link_flags(&self.cflags));
        user.push("--end-no-unused-arguments".into());
        user.extend(self.libraries.iter().cloned());
        // What `math.h` declares is linked where it is needed, without being asked for.
        user.extend(["-Wl,--push-state,--as-needed", "-lm", "-Wl,--pop-state"].map(OsString::from));
        user.extend(["-o".into(), target.clone().into()]);
        let cxx = self.sources.iter().any(|s| Language::of_file(&s.path) == Language::Cxx);
        let language = if cxx { Language::Cxx } else { Language::C };
        let mut made_from = objects.to_vec();
        if variant == Variant::Tracked {
            for piece in [Layout::RUNTIME, Layout::MAIN, Layout::BEGIN, Layout::END] {
                made_from.push(self.layout.piece(piece)?);
            }
            made_from.extend(self.layout.piece(Layout::MODELS));
        }
        if !variant.pieces().is_empty() {
            // Programs with a main of their own need the library too: it tells the stack of a crash.
            user.push("-Wl,-u,symcrete_replay_buffer".into());
        }
        for piece in variant.pieces() {
            let path = self.layout.piece(piece)?;
            user.push(path.clone().into());
            made_from.push(path);
        }
        let started = self.command(variant, language, user, &self.folder, "")?;
        let command = cache::command_hash(&started.program, &started.arguments, &self.inputs);
        if cache::is_fresh(&target, command) {
            return Ok((target, Vec::new()));
        }
        cache::forget(&target);
        // A running copy of the old program must not see the new one appear under it.
        let _ = std::fs::remove_file(&target);
        let output = start(&started, &self.folder)?;
        if !output.status.success() {
            return Err(BuildError::Link { diagnostics: output.stderr });
        }
        cache::remember(&target, command, made_from)
            .map_err(|source| BuildError::Io { path: target.clone(), source })?;
        Ok((target, output.stderr))
    }

    fn command(
        &self,
        variant: Variant,
        language: Language,
        mut user: Vec<OsString>,
        folder: &Path,
        inputs: &str,
    ) -> Result<Started, BuildError> {
        if self.color {
            user.insert(0, "-fcolor-diagnostics".into());
        }
        if variant == Variant::Tracked {
            let invocation = wrapper::rewrite(language, user, folder, &self.layout)?;
            let mut environment = invocation.environment;
            if !inputs.is_empty() {
                environment.push((ENV_INPUTS, inputs.into()));
            }
            return Ok(Started { program: invocation.program, arguments: invocation.arguments, environment });
        }
        let mut arguments: Vec<OsString> = vec!["--start-no-unused-arguments".into()];
        arguments.extend(variant.flags().iter().map(OsString::from));
        arguments.push("-fuse-ld=lld".into());
        if let Some(include) = self.layout.include() {
            arguments.extend(["-idirafter".into(), include.into()]);
        }
        let mut environment = Vec::new();
        if !inputs.is_empty() {
            let mut plugin = OsString::from("-fpass-plugin=");
            plugin.push(self.layout.plugin()?);
            arguments.push(plugin);
            environment.extend([(ENV_INPUTS, inputs.into()), (ENV_PLAIN, "1".into())]);
        }
        arguments.push("--end-no-unused-arguments".into());
        let replaced = |role: &Role| {
            matches!(role, Role::Optimise | Role::Lto | Role::Sanitize | Role::NoSanitize | Role::SanitizerDetail)
        };
        let mut line = CommandLine::parse(user);
        line.words.retain(|w| !replaced(&w.role));
        arguments.extend(line.into_arguments());
        Ok(Started { program: self.layout.clang(language)?, arguments, environment })
    }
}

/// A file that clang compiles, by its ending.
pub fn is_source(path: &Path) -> bool {
    let line = CommandLine::parse(vec![path.as_os_str().to_owned()]);
    line.inputs().any(|(kind, _)| matches!(kind, InputKind::Source | InputKind::Assembler))
}

/// Compile-time flags that would disturb a link are left out; the rest may matter (`-l`, `-L`, `-pthread`, `-static`).
fn link_flags(cflags: &[OsString]) -> Vec<OsString> {
    let mut line = CommandLine::parse(cflags.to_vec());
    line.words.retain(|w| !matches!(w.role, Role::Language | Role::Dependency | Role::Stage(_) | Role::Output));
    line.into_arguments()
}

fn start(started: &Started, folder: &Path) -> Result<Output, BuildError> {
    Command::new(&started.program)
        .args(&started.arguments)
        .envs(started.environment.iter().map(|(k, v)| (k, v)))
        .current_dir(folder)
        .output()
        .map_err(|source| BuildError::Start { program: started.program.display().to_string(), source })
}
