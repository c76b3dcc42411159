//! Random inputs. `uniform` draws every bit; `mixture` draws the values programs treat specially more often, puts in what
//! this program looks for, and changes inputs that did something new.

use crate::corpus::Corpus;
use crate::dictionary::Dictionary;
use crate::settings::Values;
use crate::shape::Shape;
use rand_core::RngCore;
use symcrete_abi::input::ValueKind;
use symcrete_exec::{Input, Object, ObjectKind, SourceSpec};
use symcrete_search::{Rng, below};

/// Draws inputs for declared sources and for the requests that earlier runs made.
#[derive(Clone)]
pub struct Generator {
    pub values: Values,
    sources: Vec<SourceSpec>,
    /// Name, kind and size of the requests of the run that made most of them.
    requests: Vec<Object>,
    pub dictionary: Dictionary,
    /// Which bytes belong together.
    pub shape: Shape,
    pub corpus: Corpus,
}

/// Of so many inputs of a batch one is drawn afresh.
const FRESH: usize = 4;

impl Generator {
    pub fn new(values: Values, sources: Vec<SourceSpec>, dictionary: Dictionary) -> Generator {
        Generator { values, sources, requests: vec![], dictionary, shape: Shape::default(), corpus: Corpus::default() }
    }

    /// An input that did something new.
    pub fn keep(&mut self, input: &Input) {
        if self.values == Values::Mixture {
            self.corpus.add(input);
        }
    }

    /// One of a batch: mostly made from inputs that did something new, else fresh.
    pub fn draw_for_batch(&self, rng: &mut Rng) -> Input {
        if self.corpus.is_empty() || below(rng, FRESH) == 0 {
            return self.draw(rng);
        }
        self.corpus.mutate(&self.sources, &self.dictionary, &self.shape, rng)
    }

    /// The most requests of one run.
    pub fn asked(&self) -> usize {
        self.requests.len()
    }

    /// Remembers what a run asked for.
    pub fn learn(&mut self, input: &Input) {
        let requested = &input.objects[self.sources.len().min(input.objects.len())..];
        if requested.len() > self.requests.len() {
            self.requests = requested.to_vec();
        }
    }

    /// A fresh random input.
    pub fn draw(&self, rng: &mut Rng) -> Input {
        let contents: Vec<Vec<u8>> =
            self.sources.iter().enumerate().map(|(at, source)| self.bytes(at, source, rng)).collect();
        let mut input = Input::for_sources(&self.sources, contents);
        for request in &self.requests {
            let bytes = self.request(request, rng);
            input.objects.push(Object { bytes, ..request.clone() });
        }
        input
    }

    fn bytes(&self, object: usize, source: &SourceSpec, rng: &mut Rng) -> Vec<u8> {
        let capacity = source.capacity as usize;
        let length = if source.exact { capacity } else { self.length(object, capacity, rng) };
        let mut bytes = vec![0; length];
        rng.fill_bytes(&mut bytes);
        if self.values == Values::Mixture {
            self.texture(&mut bytes, rng);
            if below(rng, 4) != 0 {
                self.shape.draw(object, &mut bytes, &self.dictionary, rng);
            }
        }
        bytes
    }

    fn length(&self, object: usize, capacity: usize, rng: &mut Rng) -> usize {
        if self.values == Values::Mixture {
            // Programs that read numbers seldom do anything before all of them are there.
            let numbers = self.shape.end(object).min(capacity);
            match below(rng, 4) {
                0 => return capacity,
                1 | 2 if numbers > 0 => return numbers + below(rng, capacity - numbers + 1),
                _ => {}
            }
        }
        below(rng, capacity + 1)
    }

    /// Text, numbers in binary, or noise: per input one texture.
    fn texture(&self, bytes: &mut [u8], rng: &mut Rng) {
        const PUNCTUATION: &[u8] = b" \n\t()[]{}<>\"'+-*/%=,.;:!?&|^~#@$_\\0123456789";
        match below(rng, 5) {
            0 => {}
            4 => bytes.iter_mut().for_each(|b| *b = self.dictionary.draw_letter(rng).unwrap_or(*b)),
            1 => bytes.iter_mut().for_each(|b| *b = 32 + *b % 95),
            2 => bytes.iter_mut().for_each(|b| *b = PUNCTUATION[*b as usize % PUNCTUATION.len()]),
            _ => {
                for word in bytes.chunks_mut(4) {
                    let value = integer(rng, 32).to_le_bytes();
                    let n = word.len();
                    word.copy_from_slice(&value[..n]);
                }
            }
        }
    }

    fn request(&self, request: &Object, rng: &mut Rng) -> Vec<u8> {
        let size = request.bytes.len();
        let mut bytes = vec![0; size];
        rng.fill_bytes(&mut bytes);
        if self.values == Values::Uniform {
            return bytes;
        }
        match request.kind {
            ObjectKind::Requested(ValueKind::Signed | ValueKind::Unsigned | ValueKind::Choice) if size <= 8 => {
                let known = if below(rng, 6) == 0 { self.dictionary.draw_number(rng) } else { None };
                known.unwrap_or_else(|| integer(rng, 8 * size as u32)).to_le_bytes()[..size].to_vec()
            }
            ObjectKind::Requested(ValueKind::Bool) => {
                bytes.fill(0);
                bytes[0] = below(rng, 2) as u8;
                bytes
            }
            ObjectKind::Requested(ValueKind::Float) if size == 8 => float(rng, &self.dictionary).to_le_bytes().to_vec(),
            ObjectKind::Requested(ValueKind::Float) if size == 4 => {
                (float(rng, &self.dictionary) as f32).to_le_bytes().to_vec()
            }
            _ => {
                self.texture(&mut bytes, rng);
                bytes
            }
        }
    }
}

/// Small numbers, powers of two and their neighbours, magnitudes of all sizes, any bits.
pub fn integer(rng: &mut Rng, bits: u32) -> u64 {
    let any = rng.next_u64();
    match below(rng, 5) {
        0 => any,
        1 => (any % 33).wrapping_sub(16),
        2 => (1u64 << (any % u64::from(bits))).wrapping_add(any >> 32 & 2).wrapping_sub(1),
        3 => (any >> (any % 64)).wrapping_mul(if any & 1 == 0 { 1 } else { u64::MAX }),
        _ => any % 1000,
    }
}

/// Numbers that are special to floats, small and whole ones, magnitudes of all sizes, any bits, and those that the
/// program compares with, or near them.
pub fn float(rng: &mut Rng, dictionary: &Dictionary) -> f64 {
    const SPECIAL: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::EPSILON,
        1e-300,
        1e300,
        std::f64::consts::PI,
    ];
    let any = rng.next_u64();
    let sign = if any >> 40 & 1 == 0 { 1.0 } else { -1.0 };
    let fraction = (any >> 44) as f64 / (1 << 20) as f64;
    match below(rng, 8) {
        0 => f64::from_bits(any),
        1 => SPECIAL[any as usize % SPECIAL.len()],
        2 => integer(rng, 32) as i64 as f64,
        3 => fraction * sign,
        4 => (any % 201) as f64 / 2.0 * sign,
        5 => 10f64.powi((any % 600) as i32 - 300) * sign * (1.0 + fraction),
        6 => 10f64.powi((any % 13) as i32 - 6) * sign * (1.0 + 9.0 * fraction),
        _ => match dictionary.draw_float(rng) {
            None => fraction * 100.0 * sign,
            Some(value) => match any % 6 {
                0 => value.next_up(),
                1 => value.next_down(),
                2 => value + sign * fraction,
                3 => value * (1.0 + sign * fraction / 8.0),
                4 => -value,
                _ => value,
            },
        },
    }
}
