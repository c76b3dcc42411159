//! Values on the way: terms, addresses that know what they are addresses of, and parts of structs.

use crate::memory::ObjectId;
use std::rc::Rc;
use symcrete_term::TermId;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bits(TermId),
    /// So many bytes (64 bits) past the beginning of an object.
    Address(ObjectId, TermId),
    /// The first when the condition holds, else the second.
    Either(TermId, Rc<Value>, Rc<Value>),
    /// Of a struct, an array, a vector.
    List(Vec<Value>),
    /// What terms cannot say (an 80-bit float, say): any value, another one at each use.
    Opaque,
}

impl Value {
    pub fn either(condition: TermId, yes: Value, no: Value) -> Value {
        match condition {
            TermId::TRUE => yes,
            TermId::FALSE => no,
            _ if yes == no => yes,
            _ => Value::Either(condition, Rc::new(yes), Rc::new(no)),
        }
    }

    /// Every object this may be an address of.
    pub fn objects(&self, to: &mut Vec<ObjectId>) {
        match self {
            Value::Address(object, _) => to.push(*object),
            Value::Either(_, a, b) => {
                a.objects(to);
                b.objects(to);
            }
            Value::List(list) => list.iter().for_each(|v| v.objects(to)),
            Value::Bits(_) | Value::Opaque => {}
        }
    }
}
