//! An input as a list of byte objects, and its form in shared memory.
//!
//! Decoding takes bytes that a hostile target may have written: it never panics and never allocates
//! more than the bytes it was given.

use crate::source::SourceSpec;
use symcrete_abi::input::{LogEntry, SourceKind, ValueKind};
use symcrete_term::Var;

/// What an object is: a declared source, or the answer to a request of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Declared(SourceKind),
    Requested(ValueKind),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub name: String,
    pub kind: ObjectKind,
    pub bytes: Vec<u8>,
}

/// Objects of the declared sources first, in their order, then answers to requests in order of request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    pub objects: Vec<Object>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    #[error("the input of {needed} bytes does not fit into the {capacity} bytes set aside for it")]
    TooLarge { needed: usize, capacity: usize },
}

impl Input {
    /// Objects for the declared sources, named and fitted; missing ones are as short as they may be.
    pub fn for_sources(sources: &[SourceSpec], contents: impl IntoIterator<Item = Vec<u8>>) -> Input {
        let mut contents = contents.into_iter();
        let mut objects = Vec::with_capacity(sources.len());
        for (index, source) in sources.iter().enumerate() {
            let position = 1 + sources[..index].iter().filter(|s| s.kind == source.kind).count();
            let mut bytes = contents.next().unwrap_or_default();
            source.fit(&mut bytes);
            objects.push(Object { name: source.title(position), kind: ObjectKind::Declared(source.kind), bytes });
        }
        Input { objects }
    }

    /// One byte of one object; `None` past its end.
    pub fn byte(&self, object: u32, offset: u32) -> Option<u8> {
        self.objects.get(object as usize)?.bytes.get(offset as usize).copied()
    }

    pub fn length(&self, object: u32) -> Option<usize> {
        Some(self.objects.get(object as usize)?.bytes.len())
    }

    /// The value of an unknown; zero past the end of an object.
    #[inline]
    pub fn value(&self, var: Var) -> u128 {
        match var {
            Var::Byte { object, offset } => self.byte(object, offset).unwrap_or(0) as u128,
            Var::Length { object } => self.length(object).unwrap_or(0) as u128,
        }
    }

    /// This input with some unknowns set anew, as a solver's model says. Lengths come first; a byte
    /// past the end makes its object longer, as far as its source allows. Whatever the input does not
    /// have (an object never asked for, say) is left out.
    pub fn with_values(&self, sources: &[SourceSpec], values: &[(Var, u128)]) -> Input {
        let mut input = self.clone();
        for &(var, value) in values {
            let Var::Length { object } = var else { continue };
            let capacity = sources.get(object as usize).map(|s| (s.capacity as usize, s.exact));
            if let (Some(object), Some((capacity, false))) = (input.objects.get_mut(object as usize), capacity) {
                object.bytes.resize(usize::try_from(value).unwrap_or(usize::MAX).min(capacity), 0);
            }
        }
        for &(var, value) in values {
            let Var::Byte { object, offset } = var else { continue };
            let most = sources.get(object as usize).map_or(0, |s| s.capacity as usize);
            let Some(object) = input.objects.get_mut(object as usize) else { continue };
            let offset = offset as usize;
            if offset >= object.bytes.len() && offset < most {
                object.bytes.resize(offset + 1, 0);
            }
            if let Some(byte) = object.bytes.get_mut(offset) {
                *byte = value as u8;
            }
        }
        input
    }

    /// Size in the input region.
    pub fn encoded_size(&self) -> usize {
        let bytes: usize = self.objects.iter().map(|o| o.bytes.len()).sum();
        (4 + 4 * self.objects.len() + bytes).next_multiple_of(4)
    }

    /// Appends the input's form in shared memory.
    pub fn encode(&self, to: &mut Vec<u8>) {
        let start = to.len();
        to.extend_from_slice(&(self.objects.len() as u32).to_le_bytes());
        for object in &self.objects {
            to.extend_from_slice(&(object.bytes.len() as u32).to_le_bytes());
        }
        for object in &self.objects {
            to.extend_from_slice(&object.bytes);
        }
        to.resize(start + (to.len() - start).next_multiple_of(4), 0);
    }

    /// The declared objects of this input together with what a run was really given on request.
    pub fn with_requests(&self, declared: usize, requested: Vec<Object>) -> Input {
        let mut objects: Vec<Object> = self.objects.iter().take(declared).cloned().collect();
        objects.extend(requested);
        Input { objects }
    }
}

/// A batch for the persistent loop: how many, where each starts, then the inputs. Takes as many inputs
/// from the front as fit; the number of them is the second value.
pub(crate) fn encode_batch(inputs: &[Input], capacity: usize) -> (Vec<u8>, usize) {
    let mut fitting = 0;
    let mut size = 4usize;
    for input in inputs {
        size += 4 + input.encoded_size();
        if size > capacity {
            break;
        }
        fitting += 1;
    }
    let mut bytes = Vec::with_capacity(size);
    bytes.extend_from_slice(&(fitting as u32).to_le_bytes());
    let mut at = 4 + 4 * fitting;
    for input in &inputs[..fitting] {
        bytes.extend_from_slice(&(at as u32).to_le_bytes());
        at += input.encoded_size();
    }
    for input in &inputs[..fitting] {
        input.encode(&mut bytes);
    }
    (bytes, fitting)
}

/// Reads the log of requests. Stops at the first record that makes no sense; what came before counts.
pub(crate) fn decode_log(mut log: &[u8]) -> Vec<Object> {
    let mut objects = Vec::new();
    while log.len() >= size_of::<LogEntry>() {
        let kind = log[0];
        let name_length = u16::from_le_bytes([log[2], log[3]]) as usize;
        let length = u32::from_le_bytes([log[4], log[5], log[6], log[7]]) as usize;
        let Some(size) = length.checked_add(size_of::<LogEntry>() + name_length) else { break };
        let (Some(record), Some(kind)) = (log.get(8..size), value_kind(kind)) else { break };
        let (name, bytes) = record.split_at(name_length);
        objects.push(Object {
            name: String::from_utf8_lossy(name).into_owned(),
            kind: ObjectKind::Requested(kind),
            bytes: bytes.to_vec(),
        });
        log = log.get(size.next_multiple_of(4)..).unwrap_or_default();
    }
    objects
}

fn value_kind(number: u8) -> Option<ValueKind> {
    use ValueKind::*;
    [Bytes, Signed, Unsigned, Float, Bool, Choice].into_iter().find(|&k| k as u8 == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn input(objects: &[&[u8]]) -> Input {
        let object = |bytes: &&[u8]| Object {
            name: "x".into(),
            kind: ObjectKind::Requested(ValueKind::Bytes),
            bytes: bytes.to_vec(),
        };
        Input { objects: objects.iter().map(object).collect() }
    }

    #[test]
    fn the_form_in_memory_is_the_documented_one() {
        let mut bytes = Vec::new();
        input(&[b"abc", b"", b"de"]).encode(&mut bytes);
        assert_eq!(bytes, b"\x03\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0abcde\0\0\0");
        let (batch, count) = encode_batch(&[input(&[b"a"]), input(&[b"bcdef"])], 1000);
        assert_eq!(count, 2);
        assert_eq!(batch, b"\x02\0\0\0\x0c\0\0\0\x18\0\0\0\x01\0\0\0\x01\0\0\0a\0\0\0\x01\0\0\0\x05\0\0\0bcdef\0\0\0");
        assert_eq!(encode_batch(&[input(&[b"a"]), input(&[b"bcdef"])], 30).1, 1);
        assert_eq!(encode_batch(&[input(&[b"a"])], 3), (vec![0, 0, 0, 0], 0));
    }

    #[test]
    fn a_model_changes_bytes_and_lengths() {
        let sources =
            [SourceSpec::unnamed(SourceKind::Stdin, "4").unwrap(), SourceSpec::unnamed(SourceKind::Arg, "=3").unwrap()];
        let mut start = Input::for_sources(&sources, [b"ab".to_vec(), b"x".to_vec()]);
        assert_eq!((start.objects[1].bytes.as_slice(), start.objects[1].name.as_str()), (&b"x\0\0"[..], "arg1"));
        start.objects.extend(input(&[b"request"]).objects);
        let (byte, length) = (|object, offset| Var::Byte { object, offset }, |object| Var::Length { object });
        let values = [
            (byte(0, 3), 0x141),
            (length(0), 3),
            (length(1), 1),
            (byte(1, 1), 9),
            (byte(2, 0), 7),
            (byte(2, 99), 1),
            (byte(9, 0), 1),
        ];
        let changed = start.with_values(&sources, &values);
        let bytes: Vec<&[u8]> = changed.objects.iter().map(|o| o.bytes.as_slice()).collect();
        assert_eq!(bytes, [&b"ab\0A"[..], b"x\x09\0", b"\x07equest"]);
        assert_eq!(start.with_values(&sources, &[(length(0), u128::MAX)]).objects[0].bytes, b"ab\0\0");
    }

    #[test]
    fn a_log_is_read_back() {
        let mut log = vec![ValueKind::Signed as u8, 0, 1, 0, 4, 0, 0, 0, b'n', 1, 2, 3, 4, 0, 0, 0];
        log.extend([ValueKind::Bytes as u8, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0]);
        log.extend([77, 0, 0, 0, 0, 0, 0, 0]);
        let objects = decode_log(&log);
        assert_eq!(objects.len(), 2);
        assert_eq!((objects[0].name.as_str(), objects[0].bytes.as_slice()), ("n", &[1, 2, 3, 4][..]));
        assert_eq!(objects[1].bytes, [9]);
    }

    proptest! {
        #[test]
        fn garbage_gives_no_more_than_it_holds(log in prop::collection::vec(any::<u8>(), 0..400)) {
            let held: usize = decode_log(&log).iter().map(|o| o.bytes.len()).sum();
            prop_assert!(held <= log.len());
        }

        #[test]
        fn the_size_is_known_beforehand(objects in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..6)) {
            let list: Vec<&[u8]> = objects.iter().map(|o| o.as_slice()).collect();
            let input = input(&list);
            let mut bytes = Vec::new();
            input.encode(&mut bytes);
            prop_assert_eq!(bytes.len(), input.encoded_size());
        }
    }
}
