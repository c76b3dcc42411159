//! What the interpreted programs call outside themselves.

use super::machine::Machine;
use super::scalar::{Value, mask, signed};

impl Machine<'_> {
    pub fn library(&mut self, name: &str, arguments: &[Value]) -> Value {
        let bits = |n: usize| arguments[n].bits();
        let at = |n: usize| bits(n) as u64;
        let pair = |value: u128, over: bool| Value::List(vec![Value::Bits(value), Value::Bits(u128::from(over))]);
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            let width = || intrinsic.rsplit_once(".i").and_then(|(_, w)| w.parse::<u32>().ok()).unwrap_or(64);
            let sign = |n: usize| signed(bits(n), width());
            return match intrinsic.split(".i").next().unwrap_or(intrinsic) {
                "smax" => Value::Bits(if sign(0) > sign(1) { bits(0) } else { bits(1) }),
                "smin" => Value::Bits(if sign(0) < sign(1) { bits(0) } else { bits(1) }),
                "umax" => Value::Bits(bits(0).max(bits(1))),
                "umin" => Value::Bits(bits(0).min(bits(1))),
                "abs" => Value::Bits(mask(sign(0).unsigned_abs(), width())),
                "bswap" => Value::Bits(bits(0).swap_bytes() >> (128 - width())),
                "ctpop" => Value::Bits(u128::from(bits(0).count_ones())),
                "uadd.with.overflow" => pair(mask(bits(0) + bits(1), width()), (bits(0) + bits(1)) >> width() != 0),
                "umul.with.overflow" => pair(mask(bits(0) * bits(1), width()), (bits(0) * bits(1)) >> width() != 0),
                "sadd.with.overflow" => {
                    let sum = sign(0) + sign(1);
                    let kept = mask(sum as u128, width());
                    pair(kept, signed(kept, width()) != sum)
                }
                text if text.starts_with("memcpy") || text.starts_with("memmove") => {
                    let bytes = self.memory.slice(at(1), at(2)).to_vec();
                    self.memory.write(at(0), &bytes);
                    Value::Bits(0)
                }
                text if text.starts_with("memset") => {
                    self.memory.write(at(0), &vec![bits(1) as u8; at(2) as usize]);
                    Value::Bits(0)
                }
                // Without a fused instruction: rounded twice.
                "fmuladd.f64" => {
                    let number = |n: usize| f64::from_bits(bits(n) as u64);
                    Value::Bits(u128::from((number(0) * number(1) + number(2)).to_bits()))
                }
                "fmuladd.f32" => {
                    let number = |n: usize| f32::from_bits(bits(n) as u32);
                    Value::Bits(u128::from((number(0) * number(1) + number(2)).to_bits()))
                }
                text if text.starts_with("fabs") => {
                    let top = if text.ends_with("f32") { 31 } else { 63 };
                    Value::Bits(bits(0) & !(1 << top))
                }
                text if ["lifetime", "sideeffect", "dbg", "assume", "experimental"]
                    .iter()
                    .any(|p| text.starts_with(p)) =>
                {
                    Value::Bits(0)
                }
                other => panic!("intrinsic {other}"),
            };
        }
        match name {
            "printf" => self.printf(arguments),
            "puts" => {
                let text = self.memory.text(at(0));
                self.out.push_str(&String::from_utf8_lossy(&text));
                self.out.push('\n');
                Value::Bits(0)
            }
            "putchar" => {
                self.out.push(bits(0) as u8 as char);
                Value::Bits(bits(0))
            }
            "strcmp" => {
                let order = self.memory.text(at(0)).cmp(&self.memory.text(at(1))) as i32;
                Value::Bits(u128::from(order as u32))
            }
            "strlen" => Value::Bits(self.memory.text(at(0)).len() as u128),
            "malloc" => Value::Bits(u128::from(self.memory.take(at(0), 16))),
            "calloc" => Value::Bits(u128::from(self.memory.take(at(0) * at(1), 16))),
            "free" => Value::Bits(0),
            other => panic!("library function {other}"),
        }
    }

    fn printf(&mut self, arguments: &[Value]) -> Value {
        let format = self.memory.text(arguments[0].bits() as u64);
        let mut rest = arguments[1..].iter().map(|v| v.bits());
        let mut text = String::new();
        let mut format = format.iter().map(|b| *b as char).peekable();
        while let Some(c) = format.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let mut long = 0;
            let (mut fill, mut width) = (' ', 0usize);
            loop {
                match format.next() {
                    Some('l' | 'z' | 'j') => long += 1,
                    Some('h') => {}
                    Some('0') if width == 0 => fill = '0',
                    Some(d) if d.is_ascii_digit() => width = width * 10 + d as usize - 48,
                    Some(kind) => {
                        let piece = match kind {
                            '%' => "%".into(),
                            's' => {
                                let at = rest.next().unwrap() as u64;
                                String::from_utf8_lossy(&self.memory.text(at)).into_owned()
                            }
                            'c' => (rest.next().unwrap() as u8 as char).to_string(),
                            _ => number(kind, rest.next().unwrap(), if long > 0 { 64 } else { 32 }),
                        };
                        text.extend(std::iter::repeat_n(fill, width.saturating_sub(piece.len())));
                        text.push_str(&piece);
                        break;
                    }
                    None => break,
                }
            }
        }
        self.out.push_str(&text);
        Value::Bits(text.len() as u128)
    }
}

fn number(kind: char, value: u128, width: u32) -> String {
    match kind {
        'd' | 'i' => signed(mask(value, width), width).to_string(),
        'u' => mask(value, width).to_string(),
        'x' => format!("{:x}", mask(value, width)),
        'X' => format!("{:X}", mask(value, width)),
        other => panic!("%{other}"),
    }
}
