//! Checks planted by the compiler (UBSan): what failed and where is written down, then the run ends.

use crate::start::text;
use crate::state::header;
use crate::{gate, sys};

/// A check of `kind` failed at `file:line:column`.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_check_failed(kind: *const u8, file: *const u8, line: u32, column: u32) -> ! {
    let mut message = Message { bytes: [0; 511], used: 0 };
    // SAFETY: C strings out of the compiler's data.
    let (kind, file) = unsafe { (text(kind), if file.is_null() { b"?" } else { text(file) }) };
    if let (Some(header), true) = (header(), gate::owned()) {
        message.add(kind);
        message.add(b"\t");
        // The place must fit: a long path loses its beginning.
        message.add(&file[file.len().saturating_sub(400)..]);
        message.add(b"\t");
        message.number(line);
        message.add(b"\t");
        message.number(column);
        if header.check[0] == 0 {
            header.check[..message.used].copy_from_slice(&message.bytes[..message.used]);
            header.check[message.used] = 0;
        }
        header.signal = sys::SIGABRT as u32;
    } else {
        message.add(&file[file.len().saturating_sub(400)..]);
        message.add(b":");
        message.number(line);
        message.add(b":");
        message.number(column);
        message.add(b": runtime error: ");
        message.add(kind);
        message.add(b"\n");
        sys::write_all(2, &message.bytes[..message.used]);
    }
    sys::die(sys::SIGABRT)
}

struct Message {
    bytes: [u8; 511],
    used: usize,
}

impl Message {
    fn add(&mut self, text: &[u8]) {
        let n = text.len().min(self.bytes.len() - self.used);
        self.bytes[self.used..self.used + n].copy_from_slice(&text[..n]);
        self.used += n;
    }

    fn number(&mut self, number: u32) {
        let mut digits = [0; 10];
        let (mut at, mut rest) = (digits.len(), number);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.add(&digits[at..]);
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn numbers_are_decimal_and_long_texts_are_cut() {
        let mut message = Message { bytes: [0; 511], used: 0 };
        message.number(0);
        message.number(4294967295);
        assert_eq!(&message.bytes[..message.used], b"04294967295");
        message.add(&[b'x'; 600]);
        assert_eq!(message.used, 511);
    }
}
