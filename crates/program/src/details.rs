//! Details: what only some jobs need to know of a unit, kept compressed until somebody asks.
//!
//! On disk: the unit's hash, then one compressed piece per kind of detail, each behind its length.

use crate::code::UnitCode;
use crate::{LoadError, UnitPaths};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::OnceLock;

/// The details of one unit, decoded when first asked for.
#[derive(Debug)]
pub struct Details {
    paths: Lazy<UnitPaths>,
    code: Lazy<UnitCode>,
}

impl Details {
    /// Takes the pieces behind the hash.
    pub(crate) fn new(bytes: &[u8]) -> Result<Details, LoadError> {
        let mut rest = bytes;
        let paths = Lazy::new(take(&mut rest)?);
        let code = Lazy::new(take(&mut rest)?);
        Ok(Details { paths, code })
    }

    /// How to read full paths; nothing when the bytes make no sense.
    pub fn paths(&self) -> Option<&UnitPaths> {
        self.paths.get()
    }

    /// The unit's instructions; nothing when the bytes make no sense.
    pub fn code(&self) -> Option<&UnitCode> {
        self.code.get()
    }

    /// Bytes of the packed code, for figures.
    pub fn code_size(&self) -> usize {
        self.code.packed.len()
    }
}

/// A piece, decoded when first asked for.
#[derive(Debug)]
struct Lazy<T> {
    packed: Box<[u8]>,
    value: OnceLock<Option<T>>,
}

impl<T: DeserializeOwned> Lazy<T> {
    fn new(packed: &[u8]) -> Lazy<T> {
        Lazy { packed: packed.into(), value: OnceLock::new() }
    }

    fn get(&self) -> Option<&T> {
        self.value.get_or_init(|| unpack(&self.packed)).as_ref()
    }
}

/// A piece as it goes into the object file.
pub struct Packed(Vec<u8>);

impl Packed {
    pub fn new<T: Serialize>(value: &T) -> Packed {
        Packed(lz4_flex::compress_prepend_size(&postcard::to_stdvec(value).unwrap_or_default()))
    }
}

fn take<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], LoadError> {
    let cut = || LoadError::Unreadable("details are cut short".into());
    let (length, behind) = rest.split_at_checked(8).ok_or_else(cut)?;
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
    let (piece, behind) = behind.split_at_checked(length).ok_or_else(cut)?;
    *rest = behind;
    Ok(piece)
}

/// One unit's details as they go into the object file.
pub fn pack(hash: u64, paths: &Packed, code: &Packed) -> Vec<u8> {
    let mut bytes = hash.to_le_bytes().to_vec();
    for Packed(piece) in [paths, code] {
        bytes.extend_from_slice(&(piece.len() as u64).to_le_bytes());
        bytes.extend_from_slice(piece);
    }
    bytes
}

fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(&lz4_flex::decompress_size_prepended(bytes).ok()?).ok()
}
