//! Inputs as a person names them.

use symcrete_abi::input::SourceKind;

/// What an input object is, which decides how its bytes are best read by people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// The buffer of a harness.
    Buffer,
    Stdin,
    Arg,
    Env,
    File,
    Socket,
    // What the program asked for while it ran.
    Bytes,
    Signed,
    Unsigned,
    Float,
    Bool,
    /// A harness chose among alternatives (null, a fresh object, an earlier one).
    Choice,
}

impl InputKind {
    const NAMES: &'static [(InputKind, &'static str)] = &[
        (InputKind::Buffer, "buffer"),
        (InputKind::Stdin, "stdin"),
        (InputKind::Arg, "arg"),
        (InputKind::Env, "env"),
        (InputKind::File, "file"),
        (InputKind::Socket, "socket"),
        (InputKind::Bytes, "bytes"),
        (InputKind::Signed, "signed"),
        (InputKind::Unsigned, "unsigned"),
        (InputKind::Float, "float"),
        (InputKind::Bool, "bool"),
        (InputKind::Choice, "choice"),
    ];

    pub fn slug(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).expect("every kind has a name").1
    }

    pub fn from_slug(slug: &str) -> Option<InputKind> {
        Self::NAMES.iter().find(|(_, name)| *name == slug).map(|(kind, _)| *kind)
    }

    /// The runtime's number for a declared source; requests are one kind there.
    pub fn source(self) -> SourceKind {
        match self {
            InputKind::Buffer => SourceKind::Buffer,
            InputKind::Stdin => SourceKind::Stdin,
            InputKind::Arg => SourceKind::Arg,
            InputKind::Env => SourceKind::Env,
            InputKind::File => SourceKind::File,
            InputKind::Socket => SourceKind::Socket,
            _ => SourceKind::Request,
        }
    }

    /// Declared before the run, not asked for while it goes.
    pub fn is_declared(self) -> bool {
        self.source() != SourceKind::Request
    }
}

/// One input source as declared: at most `capacity` bytes, or exactly so many.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declared {
    pub kind: InputKind,
    /// Name of the environment variable or file; empty otherwise.
    pub name: String,
    pub capacity: u32,
    pub exact: bool,
}

impl Declared {
    /// The name under which the object appears in tests; `position` counts the sources of that kind from 1.
    pub fn title(&self, position: usize) -> String {
        match self.kind {
            InputKind::Buffer => "data".into(),
            InputKind::Arg => format!("arg{position}"),
            InputKind::Env | InputKind::File => self.name.clone(),
            kind => kind.slug().into(),
        }
    }
}

/// One byte object of an input. Declared sources come first, in order, then requests in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputObject {
    pub kind: InputKind,
    pub name: String,
    pub bytes: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_read_back() {
        for (kind, name) in InputKind::NAMES {
            assert_eq!(kind.slug(), *name);
            assert_eq!(InputKind::from_slug(name), Some(*kind));
        }
        assert_eq!(InputKind::from_slug("mouse"), None);
    }
}
