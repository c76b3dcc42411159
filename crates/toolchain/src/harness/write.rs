//! Writes the harness as a C (or C++) file that a person can read and change.
//!
//! Every pointer is null, a fresh object, or an earlier object of its type, by a choice that is an
//! ordinary branch of the program; deeper than the limit only null and earlier ones remain.

use super::types::{Field, Function, Record, Scalar, Type, TypeId, Types};
use super::{ENTRY, HarnessError};
use crate::layout::Language;
use std::fmt::Write;

/// `--buffer NAME:BYTES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub name: String,
    pub bytes: u32,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub pointer_depth: u32,
    pub buffers: Vec<Buffer>,
}

/// What a pointer to characters (or to anything) points to when nobody says how long it is.
const STRING_BYTES: u64 = 16;
/// Objects of one type that later pointers may point to.
const REMEMBERED: usize = 8;

/// The result is used: what the function does only for it is not optimised away.
const KEEP: &str = "    __asm__ volatile(\"\" : : \"r\"(&result_) : \"memory\"); /* what it computed is used */\n";

/// One comparison per object, so that each is a side of its own. A choice past the end means the last.
const EARLIER: &str = "
static void *earlier(void **made, unsigned count, unsigned choice) {
    for (unsigned i = 0; i + 1 < count; i++) {
        unsigned place = i;
        __asm__(\"\" : \"+r\"(place)); /* not known to equal the choice: the index is no input */
        if (choice == i) return made[place];
    }
    return made[count - 1];
}
";

/// The text of a harness that calls `function` of `source` (as an include directive names it).
pub fn write(
    types: &Types,
    function: &Function,
    source: &str,
    language: Language,
    options: &Options,
) -> Result<String, HarnessError> {
    let mut writer = Writer {
        types,
        function,
        language,
        options,
        body: String::new(),
        stubs: String::new(),
        remembered: Vec::new(),
        temporaries: 0,
        current: String::new(),
    };
    for buffer in &options.buffers {
        writer.check_buffer(buffer)?;
    }
    let mut arguments = Vec::new();
    for (index, (name, ty)) in function.parameters.iter().enumerate() {
        writer.current = name.clone();
        // A parameter may be called like something of ours or be shadowed by a macro.
        let variable = format!("{name}_");
        writer.parameter(index, name, &variable, *ty)?;
        arguments.push(match types.get(types.bare(*ty)) {
            Type::Pointer { reference: true, .. } => format!("*{variable}"),
            _ => variable,
        });
    }
    Ok(writer.finish(source, &arguments))
}

struct Writer<'a> {
    types: &'a Types,
    function: &'a Function,
    language: Language,
    options: &'a Options,
    body: String,
    stubs: String,
    /// Bare pointee types whose objects are remembered.
    remembered: Vec<TypeId>,
    temporaries: usize,
    current: String,
}

impl Writer<'_> {
    fn finish(self, source: &str, arguments: &[String]) -> String {
        let name = &self.function.name;
        let mut out = format!(
            "/* Written by symcrete for `--function {name}`: builds its parameters from input and calls it. */\n"
        );
        let _ = writeln!(
            out,
            "#include \"{source}\"\n#include <stdlib.h>\n#include <symcrete.h>\n#pragma clang diagnostic ignored \"-Weverything\"\n"
        );
        if !self.remembered.is_empty() {
            out.push_str("/* Objects made so far, by type: a pointer may also point to an earlier one. */\n");
        }
        for (index, ty) in self.remembered.iter().enumerate() {
            let _ = writeln!(
                out,
                "static void *made_{index}[{REMEMBERED}]; /* {} */\nstatic unsigned count_{index};",
                self.declare(*ty, "")
            );
        }
        if !self.remembered.is_empty() {
            out.push_str(EARLIER);
        }
        out.push_str(&self.stubs);
        let linkage = if self.language == Language::Cxx { "extern \"C\" " } else { "" };
        let _ = writeln!(out, "\n{linkage}void {ENTRY}(void);\n{linkage}void {ENTRY}(void) {{");
        for index in 0..self.remembered.len() {
            let _ = writeln!(out, "    count_{index} = 0;");
        }
        out.push_str(&self.body);
        let call = format!("{name}({})", arguments.join(", "));
        let _ = match (self.types.get(self.types.bare(self.function.result)) != &Type::Void, self.language) {
            (false, _) => writeln!(out, "    {call};\n}}"),
            (true, Language::C) => writeln!(out, "    __auto_type result_ = {call};\n{KEEP}}}"),
            (true, Language::Cxx) => writeln!(out, "    auto &&result_ = {call};\n{KEEP}}}"),
        };
        out
    }

    fn check_buffer(&self, buffer: &Buffer) -> Result<(), HarnessError> {
        let is_pointer = |ty: TypeId| matches!(self.types.get(self.types.bare(ty)), Type::Pointer { .. });
        let pointers: Vec<String> =
            self.function.parameters.iter().filter(|(_, t)| is_pointer(*t)).map(|(n, _)| n.clone()).collect();
        if pointers.contains(&buffer.name) {
            return Ok(());
        }
        Err(HarnessError::Buffer { name: buffer.name.clone(), function: self.function.name.clone(), pointers })
    }

    fn refuse(&self, reason: impl Into<String>) -> HarnessError {
        HarnessError::Parameter {
            function: self.function.name.clone(),
            parameter: self.current.clone(),
            reason: reason.into(),
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.body, "{}{text}", "    ".repeat(depth + 1));
    }

    fn parameter(&mut self, index: usize, name: &str, variable: &str, ty: TypeId) -> Result<(), HarnessError> {
        let bare = self.types.bare(ty);
        let declaration = match self.types.get(bare) {
            Type::Pointer { to, reference: true } => self.declare(*to, &format!("*{variable}")),
            _ => self.declare(self.without_const(ty), variable),
        };
        self.line(0, &format!("{declaration};"));
        if let Some(buffer) = self.options.buffers.iter().find(|b| b.name == name) {
            let bytes = buffer.bytes;
            self.line(0, &format!("{variable} = ({})malloc({bytes});", self.cast(variable)));
            self.line(0, &format!("symcrete_bytes((void *){variable}, {bytes}, \"{name}\");"));
            return Ok(());
        }
        self.fill(0, variable, name, ty, 0)?;
        self.bound_by_buffer(index, variable);
        Ok(())
    }

    /// A length right after a buffer is at most the buffer's: otherwise every such function would
    /// read past its end.
    fn bound_by_buffer(&mut self, index: usize, variable: &str) {
        let Some((pointer, pointer_type)) = index.checked_sub(1).map(|i| &self.function.parameters[i]) else { return };
        let Some(buffer) = self.options.buffers.iter().find(|b| b.name == *pointer) else { return };
        let (name, ty) = &self.function.parameters[index];
        let Type::Scalar { kind, .. } = self.types.get(self.types.bare(*ty)) else { return };
        if !is_length(name) {
            return;
        }
        let Type::Pointer { to, .. } = self.types.get(self.types.bare(*pointer_type)) else { return };
        let elements = u64::from(buffer.bytes) / self.types.size(*to).max(1);
        let low = if *kind == Scalar::Signed { format!("{variable} >= 0 && ") } else { String::new() };
        self.line(0, &format!("symcrete_assume({low}{variable} <= {elements}); /* the length of {pointer} */"));
    }

    /// Gives the object `place` (an lvalue), called `name` in tests, a value from input.
    fn fill(&mut self, depth: usize, place: &str, name: &str, ty: TypeId, level: u32) -> Result<(), HarnessError> {
        let types = self.types;
        match types.get(types.bare(ty)) {
            Type::Scalar { kind, size, spelling } => match request(*kind, *size, name) {
                Some(request) if !types.is_const(ty) => {
                    let cast = if matches!(kind, Scalar::Enum { .. }) || spelling.starts_with("decltype") {
                        format!("({})", self.cast(place))
                    } else {
                        String::new()
                    };
                    self.line(depth, &format!("{place} = {cast}{request};"));
                }
                _ => self.bytes(depth, place, name),
            },
            Type::Pointer { to, .. } => self.pointer(depth, place, name, *to, level)?,
            Type::Array { of, count } => self.array(depth, place, name, *of, *count, level)?,
            Type::Record(record) => self.record(depth, place, name, record, level)?,
            Type::Opaque(what) => return Err(self.refuse(format!("{what} is not supported"))),
            Type::Void | Type::Function { .. } | Type::Typedef { .. } | Type::Const(_) | Type::Qualified { .. } => {
                return Err(self.refuse("its type is no object type"));
            }
        }
        Ok(())
    }

    fn bytes(&mut self, depth: usize, place: &str, name: &str) {
        self.line(depth, &format!("symcrete_bytes((void *)&{place}, sizeof {place}, \"{name}\");"));
    }

    fn array(
        &mut self,
        depth: usize,
        place: &str,
        name: &str,
        of: TypeId,
        count: Option<u64>,
        level: u32,
    ) -> Result<(), HarnessError> {
        let Some(count) = count.filter(|c| *c > 0) else { return Ok(()) };
        if self.is_plain(of) {
            self.bytes(depth, place, name);
            return Ok(());
        }
        for index in 0..count {
            self.fill(depth, &format!("{place}[{index}]"), &format!("{name}[{index}]"), of, level)?;
        }
        Ok(())
    }

    /// Numbers and nothing else, so that all bytes may have any value.
    fn is_plain(&self, ty: TypeId) -> bool {
        match self.types.get(self.types.bare(ty)) {
            Type::Scalar { kind, .. } => !matches!(kind, Scalar::Bool),
            Type::Array { of, .. } => self.is_plain(*of),
            _ => false,
        }
    }

    fn record(
        &mut self,
        depth: usize,
        place: &str,
        name: &str,
        record: &Record,
        level: u32,
    ) -> Result<(), HarnessError> {
        if record.has_bases {
            return Err(self.refuse(format!(
                "{} has base classes or virtual functions",
                record.spelling.as_deref().unwrap_or("its class")
            )));
        }
        if record.incomplete {
            return Err(self.refuse(format!("{} is declared only", record.spelling.as_deref().unwrap_or("its type"))));
        }
        if record.is_union {
            self.bytes(depth, place, name);
            return Ok(());
        }
        for field in &record.fields {
            self.field(depth, place, name, field, level)?;
        }
        Ok(())
    }

    fn field(&mut self, depth: usize, place: &str, name: &str, field: &Field, level: u32) -> Result<(), HarnessError> {
        // `*p` is written as `p->`: the way people say it.
        let member = |path: &str| match path.strip_prefix("(*").and_then(|p| p.strip_suffix(')')) {
            Some(pointer) if !pointer.contains("(*") => format!("{pointer}->"),
            _ => format!("{path}."),
        };
        if field.name.is_empty() {
            let Type::Record(inner) = self.types.get(self.types.bare(field.of)) else { return Ok(()) };
            if !inner.is_union {
                return self.record(depth, place, name, inner, level);
            }
            // The members of an anonymous union share their bytes: the largest one stands for all.
            return match inner.fields.iter().max_by_key(|f| self.types.size(f.of)) {
                Some(largest) if !largest.name.is_empty() => {
                    let (place, name) =
                        (format!("{}{}", member(place), largest.name), format!("{}{}", member(name), largest.name));
                    self.bytes(depth, &place, &name);
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        let (place, name) = (format!("{}{}", member(place), field.name), format!("{}{}", member(name), field.name));
        if field.bits.is_some() {
            // No address: the value is cut to the field's width by the assignment.
            if let Type::Scalar { kind, size, .. } = self.types.get(self.types.bare(field.of))
                && let Some(request) = request(*kind, *size, &name)
            {
                self.line(depth, &format!("{place} = {request};"));
            }
            return Ok(());
        }
        self.fill(depth, &place, &name, field.of, level)
    }

    fn pointer(&mut self, depth: usize, place: &str, name: &str, to: TypeId, level: u32) -> Result<(), HarnessError> {
        let bare = self.types.bare(to);
        let cast = self.cast(place);
        if let Type::Function { result, parameters, variadic } = self.types.get(bare).clone() {
            return self.callback(depth, place, name, result, &parameters, variadic);
        }
        let incomplete = matches!(self.types.get(bare), Type::Record(r) if r.incomplete)
            || matches!(self.types.get(bare), Type::Opaque(_));
        if incomplete {
            self.line(depth, &format!("{place} = 0; /* objects of this type cannot be made here */"));
            return Ok(());
        }
        let known = self.remember(bare);
        let choice = format!("choice_{}", self.temporaries);
        self.temporaries += 1;
        if level >= self.options.pointer_depth {
            self.line(
                depth,
                &format!(
                    "unsigned {choice} = symcrete_choice(1 + count_{known}, \"{name}: null or an earlier object\");"
                ),
            );
            self.line(depth, &format!("{place} = {choice} == 0 || count_{known} == 0 ? 0 : ({cast})earlier(made_{known}, count_{known}, {choice} - 1);"));
            return Ok(());
        }
        self.line(depth, &format!("unsigned {choice} = symcrete_choice(2 + count_{known}, \"{name}: null, a fresh object, or an earlier one\");"));
        self.line(depth, &format!("if ({choice} == 0) {{"));
        self.line(depth + 1, &format!("{place} = 0;"));
        self.line(depth, &format!("}} else if ({choice} == 1 || count_{known} == 0) {{"));
        let string = matches!(self.types.get(bare), Type::Void | Type::Scalar { kind: Scalar::Character { .. }, .. });
        if string {
            self.line(depth + 1, &format!("{place} = ({cast})calloc(1, {STRING_BYTES}); /* the last byte stays 0 */"));
            self.keep(depth + 1, known, place);
            self.line(depth + 1, &format!("symcrete_bytes((void *){place}, {}, \"{name}[]\");", STRING_BYTES - 1));
        } else {
            self.line(depth + 1, &format!("{place} = ({cast})calloc(1, sizeof *{place});"));
            self.keep(depth + 1, known, place);
            // The object is filled through a pointer that may write: the parameter may be to const.
            let object = format!("object_{}", self.temporaries);
            self.temporaries += 1;
            let (declaration, cast) = (self.declare_pointer(to, &object), self.declare_pointer(to, ""));
            self.line(depth + 1, &format!("{declaration} = ({cast}){place};"));
            self.fill(depth + 1, &format!("(*{object})"), &format!("(*{name})"), self.without_const(to), level + 1)?;
        }
        self.line(depth, "} else {");
        self.line(depth + 1, &format!("{place} = ({cast})earlier(made_{known}, count_{known}, {choice} - 2);"));
        self.line(depth, "}");
        Ok(())
    }

    fn keep(&mut self, depth: usize, known: usize, place: &str) {
        self.line(
            depth,
            &format!("if (count_{known} < {REMEMBERED}) made_{known}[count_{known}++] = (void *){place};"),
        );
    }

    /// A function pointer is null or a function of ours whose results are inputs.
    fn callback(
        &mut self,
        depth: usize,
        place: &str,
        name: &str,
        result: TypeId,
        parameters: &[TypeId],
        variadic: bool,
    ) -> Result<(), HarnessError> {
        let stub = format!("callback_{}", self.temporaries);
        self.temporaries += 1;
        let mut list: Vec<String> =
            parameters.iter().enumerate().map(|(i, p)| self.declare(*p, &format!("a{i}"))).collect();
        if variadic {
            list.push("...".into());
        } else if list.is_empty() && self.language == Language::C {
            list.push("void".into());
        }
        let outer = std::mem::take(&mut self.body);
        let returns_nothing = matches!(self.types.get(self.types.bare(result)), Type::Void);
        if !returns_nothing {
            let declaration = self.declare(self.without_const(result), "result");
            self.line(0, &format!("{declaration};"));
            // One level is enough for what a callback returns.
            let level = self.options.pointer_depth;
            self.fill(0, "result", &format!("{name}()"), result, level)?;
            self.line(0, "return result;");
        }
        let inner = std::mem::replace(&mut self.body, outer);
        let unused: String = (0..parameters.len()).map(|i| format!("    (void)a{i};\n")).collect();
        let head = self.declare(result, &format!("{stub}({})", list.join(", ")));
        let _ = write!(
            self.stubs,
            "\n/* Stands for whatever {name} may point to. */\nstatic {head} {{\n{unused}{inner}}}\n"
        );
        self.line(depth, &format!("{place} = symcrete_choice(2, \"{name}: null or a function\") ? {stub} : 0;"));
        Ok(())
    }

    fn remember(&mut self, ty: TypeId) -> usize {
        self.remembered.iter().position(|t| *t == ty).unwrap_or_else(|| {
            self.remembered.push(ty);
            self.remembered.len() - 1
        })
    }

    fn cast(&self, place: &str) -> String {
        format!("__typeof__({place})")
    }

    /// Declares `name` as a pointer through which objects of the type can be written.
    fn declare_pointer(&self, to: TypeId, name: &str) -> String {
        let to = self.without_const(to);
        match self.types.get(to) {
            Type::Array { .. } => self.declare(to, &format!("(*{name})")),
            _ => self.declare(to, &format!("*{name}")),
        }
    }

    /// The type with const taken off the top, through typedefs only where needed.
    fn without_const(&self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Const(of) => self.without_const(*of),
            Type::Typedef { of, .. } if self.types.is_const(*of) => self.without_const(*of),
            _ => ty,
        }
    }

    /// A C declaration of `inner` (a name with what was already wrapped around it) with the type.
    fn declare(&self, ty: TypeId, inner: &str) -> String {
        let spaced =
            |spelling: &str| if inner.is_empty() { spelling.to_string() } else { format!("{spelling} {inner}") };
        match self.types.get(ty) {
            Type::Void => spaced("void"),
            Type::Scalar { spelling, .. } => spaced(spelling),
            Type::Typedef { name, .. } => spaced(name),
            Type::Record(record) => spaced(record.spelling.as_deref().unwrap_or("void")),
            Type::Opaque(_) => spaced("void"),
            Type::Const(of) => match self.types.get(*of) {
                Type::Pointer { .. } => self.declare(*of, &format!("const {inner}")),
                _ => format!("const {}", self.declare(*of, inner)),
            },
            Type::Qualified { word, of } => match self.types.get(*of) {
                Type::Pointer { .. } => self.declare(*of, format!("{word} {inner}").trim_start()),
                _ => format!("{word} {}", self.declare(*of, inner)).trim_start().to_string(),
            },
            Type::Pointer { to, reference } => {
                let sign = if *reference { "&" } else { "*" };
                let inner = format!("{sign}{inner}");
                match self.types.get(*to) {
                    Type::Array { .. } | Type::Function { .. } => self.declare(*to, &format!("({inner})")),
                    _ => self.declare(*to, &inner),
                }
            }
            Type::Array { of, count } => {
                self.declare(*of, &format!("{inner}[{}]", count.map(|c| c.to_string()).unwrap_or_default()))
            }
            Type::Function { result, parameters, variadic } => {
                let mut list: Vec<String> = parameters.iter().map(|p| self.declare(*p, "")).collect();
                if *variadic {
                    list.push("...".into());
                } else if list.is_empty() {
                    list.push("void".into());
                }
                self.declare(*result, &format!("{inner}({})", list.join(", ")))
            }
        }
    }
}

/// The request that yields a number of this kind and size, if there is one.
pub(crate) fn request(kind: Scalar, size: u64, name: &str) -> Option<String> {
    let signed = match kind {
        Scalar::Signed => true,
        Scalar::Unsigned => false,
        Scalar::Character { signed } | Scalar::Enum { signed } => signed,
        Scalar::Bool => return Some(format!("symcrete_bool(\"{name}\")")),
        Scalar::Float => {
            return match size {
                4 => Some(format!("symcrete_float(\"{name}\")")),
                8 => Some(format!("symcrete_double(\"{name}\")")),
                _ => None,
            };
        }
    };
    let type_name = match size {
        1 => "char",
        2 => "short",
        4 => "int",
        8 => "long",
        _ => return None,
    };
    let unsigned = if signed { "" } else { "u" };
    Some(format!("symcrete_{unsigned}{type_name}(\"{name}\")"))
}

/// Names people give to the length of the buffer before it.
pub(crate) fn is_length(name: &str) -> bool {
    let name = name.to_lowercase();
    matches!(
        name.as_str(),
        "n" | "len" | "length" | "size" | "count" | "num" | "sz" | "nbytes" | "bytes" | "cap" | "capacity"
    ) || ["len", "size", "length", "count", "_n", "_sz"].iter().any(|end| name.ends_with(end))
        || name.starts_with("n_")
        || name.starts_with("num")
}
