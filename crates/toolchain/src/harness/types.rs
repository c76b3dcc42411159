//! Types and functions of a source file, read from its debug information.
//!
//! Only what a harness needs; everything it cannot build is [`Type::Opaque`] with the reason.

use super::HarnessError;
use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, LittleEndian, UnitOffset};
use object::{Object, ObjectSection, ObjectSymbol};
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Signed,
    Unsigned,
    /// `char` and its kin: pointers to them are strings.
    Character {
        signed: bool,
    },
    Float,
    Bool,
    Enum {
        signed: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Void,
    Scalar {
        spelling: String,
        kind: Scalar,
        size: u64,
    },
    /// `reference`: C++'s.
    Pointer {
        to: TypeId,
        reference: bool,
    },
    /// `None`: a flexible array.
    Array {
        of: TypeId,
        count: Option<u64>,
    },
    Record(Record),
    Typedef {
        name: String,
        of: TypeId,
    },
    Const(TypeId),
    /// volatile, restrict, _Atomic: the spelling in front of the type.
    Qualified {
        word: &'static str,
        of: TypeId,
    },
    Function {
        result: TypeId,
        parameters: Vec<TypeId>,
        variadic: bool,
    },
    Opaque(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// `struct node`; `None` without a name.
    pub spelling: Option<String>,
    pub is_union: bool,
    /// Declared only: objects of it cannot be made.
    pub incomplete: bool,
    pub size: u64,
    pub fields: Vec<Field>,
    /// Base classes or virtual functions: no plain data.
    pub has_bases: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Empty for anonymous members.
    pub name: String,
    pub of: TypeId,
    pub bits: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<(String, TypeId)>,
    pub line: u64,
    pub variadic: bool,
    /// Void where there is none.
    pub result: TypeId,
    /// Not from a header of the machine.
    pub own: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Types {
    types: Vec<Type>,
    pub functions: Vec<Function>,
    /// What is used and defined elsewhere.
    pub undefined: Vec<String>,
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

impl Types {
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0]
    }

    /// Without typedefs and qualifiers.
    pub fn bare(&self, id: TypeId) -> TypeId {
        match self.get(id) {
            Type::Typedef { of, .. } | Type::Const(of) | Type::Qualified { of, .. } => self.bare(*of),
            _ => id,
        }
    }

    /// Whether objects of the type cannot be assigned to.
    pub fn is_const(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Const(_) => true,
            Type::Typedef { of, .. } | Type::Qualified { of, .. } => self.is_const(*of),
            _ => false,
        }
    }

    pub fn size(&self, id: TypeId) -> u64 {
        match self.get(self.bare(id)) {
            Type::Scalar { size, .. } => *size,
            Type::Record(record) => record.size,
            Type::Array { of, count } => self.size(*of) * count.unwrap_or(0),
            Type::Pointer { .. } => 8,
            _ => 1,
        }
    }

    /// Reads the functions defined in a linked file with debug information, and their types.
    pub fn read(bytes: &[u8], file: &str) -> Result<Types, HarnessError> {
        let broken = |reason: String| HarnessError::Debug { file: file.into(), reason };
        let elf = object::File::parse(bytes).map_err(|e| broken(e.to_string()))?;
        let section = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
            Ok(elf.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
        };
        let sections = gimli::DwarfSections::load(section).map_err(|e| broken(e.to_string()))?;
        let dwarf = sections.borrow(|s| EndianSlice::new(s, LittleEndian));
        let outside = elf.dynamic_symbols().filter(|s| s.is_undefined()).filter_map(|s| s.name().ok());
        let undefined = outside.filter(|n| !n.is_empty()).map(String::from).collect();
        let mut types = Types { types: vec![Type::Void], functions: Vec::new(), undefined };
        let mut units = dwarf.units();
        while let Some(header) = units.next().map_err(|e| broken(e.to_string()))? {
            let unit = dwarf.unit(header).map_err(|e| broken(e.to_string()))?;
            let mut reading = Reading { dwarf: &dwarf, unit: &unit, known: HashMap::new(), types: &mut types };
            reading.functions().map_err(|e| broken(e.to_string()))?;
        }
        Ok(types)
    }
}

struct Reading<'a, 'b> {
    dwarf: &'b gimli::Dwarf<Slice<'a>>,
    unit: &'b gimli::Unit<Slice<'a>>,
    known: HashMap<UnitOffset, TypeId>,
    types: &'b mut Types,
}

type Entry<'a, 'b> = DebuggingInformationEntry<'b, 'b, Slice<'a>>;

impl<'a, 'b> Reading<'a, 'b> {
    fn functions(&mut self) -> Result<(), gimli::Error> {
        let unit = self.unit;
        let mut entries = unit.entries();
        let mut offsets = Vec::new();
        while let Some((_, entry)) = entries.next_dfs()? {
            if entry.tag() == gimli::DW_TAG_subprogram && entry.attr(gimli::DW_AT_low_pc)?.is_some() {
                offsets.push(entry.offset());
            }
        }
        for offset in offsets {
            let entry = unit.entry(offset)?;
            let mut named = entry.clone();
            // A member's definition refers to its declaration for the name.
            if let Some(AttributeValue::UnitRef(declaration)) = entry.attr_value(gimli::DW_AT_specification)? {
                named = unit.entry(declaration)?;
            }
            let name = self.name(&named)?;
            let line = named.attr(gimli::DW_AT_decl_line)?.and_then(|l| l.udata_value()).unwrap_or(0);
            let (mut parameters, mut variadic) = (Vec::new(), false);
            for child in self.children(offset)? {
                let child = unit.entry(child)?;
                match child.tag() {
                    gimli::DW_TAG_formal_parameter => {
                        let name = self.name(&child)?;
                        let name = if name.is_empty() { format!("p{}", parameters.len() + 1) } else { name };
                        let of = self.type_of(&child)?;
                        parameters.push((name, of));
                    }
                    gimli::DW_TAG_unspecified_parameters => variadic = true,
                    _ => {}
                }
            }
            if !name.is_empty() {
                let result = self.type_of(&named)?;
                let own = self.file(&named)?.is_none_or(|file| !symcrete_program::is_system_header(&file));
                self.types.functions.push(Function { name, parameters, line, variadic, result, own });
            }
        }
        Ok(())
    }

    /// The file that declares an entry, where it is named by a whole path.
    fn file(&self, entry: &Entry<'a, 'b>) -> Result<Option<String>, gimli::Error> {
        let Some(AttributeValue::FileIndex(index)) = entry.attr_value(gimli::DW_AT_decl_file)? else { return Ok(None) };
        let Some(lines) = &self.unit.line_program else { return Ok(None) };
        let Some(file) = lines.header().file(index) else { return Ok(None) };
        let text =
            |value| Ok::<_, gimli::Error>(self.dwarf.attr_string(self.unit, value)?.to_string_lossy().into_owned());
        let name = text(file.path_name())?;
        Ok(Some(match file.directory(lines.header()) {
            Some(folder) if !name.starts_with('/') => format!("{}/{name}", text(folder)?),
            _ => name,
        }))
    }

    fn children(&self, offset: UnitOffset) -> Result<Vec<UnitOffset>, gimli::Error> {
        let mut tree = self.unit.entries_tree(Some(offset))?;
        let mut children = tree.root()?.children();
        let mut out = Vec::new();
        while let Some(child) = children.next()? {
            out.push(child.entry().offset());
        }
        Ok(out)
    }

    fn name(&self, entry: &Entry<'a, 'b>) -> Result<String, gimli::Error> {
        match entry.attr_value(gimli::DW_AT_name)? {
            Some(value) => Ok(self.dwarf.attr_string(self.unit, value)?.to_string_lossy().into_owned()),
            None => Ok(String::new()),
        }
    }

    fn number(&self, entry: &Entry<'a, 'b>, at: gimli::DwAt) -> Result<Option<u64>, gimli::Error> {
        Ok(entry.attr(at)?.and_then(|a| a.udata_value()))
    }

    /// The type an entry refers to; none means void.
    fn type_of(&mut self, entry: &Entry<'a, 'b>) -> Result<TypeId, gimli::Error> {
        match entry.attr_value(gimli::DW_AT_type)? {
            Some(AttributeValue::UnitRef(offset)) => self.ty(offset),
            None => Ok(TypeId(0)),
            Some(_) => Ok(self.push(Type::Opaque("its type lies in another unit".into()))),
        }
    }

    fn push(&mut self, ty: Type) -> TypeId {
        self.types.types.push(ty);
        TypeId(self.types.types.len() - 1)
    }

    fn ty(&mut self, offset: UnitOffset) -> Result<TypeId, gimli::Error> {
        if let Some(id) = self.known.get(&offset) {
            return Ok(*id);
        }
        // Types may refer to themselves: the place is taken before the contents are known.
        let id = self.push(Type::Void);
        self.known.insert(offset, id);
        let ty = self.read(offset)?;
        self.types.types[id.0] = ty;
        Ok(id)
    }

    fn read(&mut self, offset: UnitOffset) -> Result<Type, gimli::Error> {
        let entry = self.unit.entry(offset)?;
        let size = self.number(&entry, gimli::DW_AT_byte_size)?.unwrap_or(0);
        let name = self.name(&entry)?;
        Ok(match entry.tag() {
            gimli::DW_TAG_base_type => {
                let encoding = entry.attr_value(gimli::DW_AT_encoding)?;
                let kind = match encoding {
                    Some(AttributeValue::Encoding(gimli::DW_ATE_signed)) => Scalar::Signed,
                    Some(AttributeValue::Encoding(gimli::DW_ATE_unsigned)) => Scalar::Unsigned,
                    Some(AttributeValue::Encoding(gimli::DW_ATE_signed_char)) => Scalar::Character { signed: true },
                    Some(AttributeValue::Encoding(gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF)) => {
                        Scalar::Character { signed: false }
                    }
                    Some(AttributeValue::Encoding(gimli::DW_ATE_boolean)) => Scalar::Bool,
                    Some(AttributeValue::Encoding(gimli::DW_ATE_float)) => Scalar::Float,
                    _ => return Ok(Type::Opaque(format!("type {name}"))),
                };
                Type::Scalar { spelling: name, kind, size }
            }
            gimli::DW_TAG_enumeration_type => {
                let of = self.type_of(&entry)?;
                let signed = matches!(self.types.get(self.types.bare(of)), Type::Scalar { kind: Scalar::Signed, .. });
                let spelling = if name.is_empty() {
                    if signed { "int".into() } else { "unsigned".into() }
                } else {
                    format!("enum {name}")
                };
                Type::Scalar { spelling, kind: Scalar::Enum { signed }, size }
            }
            gimli::DW_TAG_pointer_type => Type::Pointer { to: self.type_of(&entry)?, reference: false },
            gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                Type::Pointer { to: self.type_of(&entry)?, reference: true }
            }
            gimli::DW_TAG_typedef => Type::Typedef { name, of: self.type_of(&entry)? },
            gimli::DW_TAG_const_type => Type::Const(self.type_of(&entry)?),
            gimli::DW_TAG_volatile_type => Type::Qualified { word: "volatile", of: self.type_of(&entry)? },
            gimli::DW_TAG_restrict_type => Type::Qualified { word: "", of: self.type_of(&entry)? },
            gimli::DW_TAG_atomic_type => Type::Qualified { word: "_Atomic", of: self.type_of(&entry)? },
            gimli::DW_TAG_array_type => self.array(&entry)?,
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                self.record(&entry, name, size)?
            }
            gimli::DW_TAG_subroutine_type => self.function_type(&entry)?,
            gimli::DW_TAG_unspecified_type => {
                Type::Scalar { spelling: "decltype(nullptr)".into(), kind: Scalar::Unsigned, size: 8 }
            }
            tag => Type::Opaque(format!("{tag}")),
        })
    }

    fn array(&mut self, entry: &Entry<'a, 'b>) -> Result<Type, gimli::Error> {
        let mut of = self.type_of(entry)?;
        let mut counts = Vec::new();
        for child in self.children(entry.offset())? {
            let child = self.unit.entry(child)?;
            if child.tag() == gimli::DW_TAG_subrange_type {
                let count = self.number(&child, gimli::DW_AT_count)?;
                let bound = self.number(&child, gimli::DW_AT_upper_bound)?.map(|b| b + 1);
                counts.push(count.or(bound));
            }
        }
        // Innermost dimension last: build from the inside.
        while counts.len() > 1 {
            let count = counts.pop().flatten();
            of = self.push(Type::Array { of, count });
        }
        Ok(Type::Array { of, count: counts.pop().flatten() })
    }

    fn record(&mut self, entry: &Entry<'a, 'b>, name: String, size: u64) -> Result<Type, gimli::Error> {
        let is_union = entry.tag() == gimli::DW_TAG_union_type;
        let word = match entry.tag() {
            gimli::DW_TAG_union_type => "union",
            gimli::DW_TAG_class_type => "class",
            _ => "struct",
        };
        let mut record = Record {
            spelling: (!name.is_empty()).then(|| format!("{word} {name}")),
            is_union,
            incomplete: matches!(entry.attr_value(gimli::DW_AT_declaration)?, Some(AttributeValue::Flag(true))),
            size,
            fields: Vec::new(),
            has_bases: false,
        };
        for child in self.children(entry.offset())? {
            let child = self.unit.entry(child)?;
            match child.tag() {
                gimli::DW_TAG_inheritance => record.has_bases = true,
                gimli::DW_TAG_member => {
                    // Static members are declared in the class and live elsewhere.
                    if child.attr(gimli::DW_AT_external)?.is_some() {
                        continue;
                    }
                    let name = self.name(&child)?;
                    record.has_bases |= child.attr(gimli::DW_AT_artificial)?.is_some();
                    let bits = self.number(&child, gimli::DW_AT_bit_size)?;
                    let of = self.type_of(&child)?;
                    record.fields.push(Field { name, of, bits });
                }
                _ => {}
            }
        }
        Ok(Type::Record(record))
    }

    fn function_type(&mut self, entry: &Entry<'a, 'b>) -> Result<Type, gimli::Error> {
        let result = self.type_of(entry)?;
        let (mut parameters, mut variadic) = (Vec::new(), false);
        for child in self.children(entry.offset())? {
            let child = self.unit.entry(child)?;
            match child.tag() {
                gimli::DW_TAG_formal_parameter => {
                    let of = self.type_of(&child)?;
                    parameters.push(of);
                }
                gimli::DW_TAG_unspecified_parameters => variadic = true,
                _ => {}
            }
        }
        Ok(Type::Function { result, parameters, variadic })
    }
}
