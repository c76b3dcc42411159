//! The program model's instructions, read off the functions at the early point, before any mark is planted.

use crate::SUFFIX;
use crate::ir::{Block, IntPredicate, Module, Opcode, Type, TypeKind, Value};
use crate::lines::line;
use rustc_hash::FxHashMap;
use symcrete_program::code::{
    self, Binary, Call, Callee, Cast, Constant, ConstantId, FunctionCode, Global, Instruction, Operand, Order, TypeId,
    UnitCode, What,
};

/// Collects a unit's code, every type, constant and name once.
pub struct Code {
    module: Module,
    pub unit: UnitCode,
    types: FxHashMap<Type, TypeId>,
    constants: FxHashMap<Value, ConstantId>,
    globals: FxHashMap<Value, u32>,
    symbols: FxHashMap<String, u32>,
}

impl Code {
    pub fn new(module: Module) -> Code {
        Code {
            module,
            unit: UnitCode::default(),
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            globals: FxHashMap::default(),
            symbols: FxHashMap::default(),
        }
    }

    /// Adds a function; functions come in the order of the unit's.
    pub fn add(&mut self, function: Value) {
        let blocks = function.blocks();
        let block_numbers: FxHashMap<Block, u32> = blocks.iter().enumerate().map(|(i, b)| (*b, i as u32)).collect();
        let parameters = function.parameters();
        let lists: Vec<Vec<Value>> = blocks.iter().map(|b| b.instructions()).collect();
        let values = parameters.iter().chain(lists.iter().flatten());
        let values: FxHashMap<Value, u32> = values.enumerate().map(|(i, v)| (*v, i as u32)).collect();
        let copies = (0..parameters.len() as u32)
            .filter_map(|number| Some((number, function.parameter_byval(number)?)))
            .collect::<Vec<_>>();
        let copies = copies.into_iter().map(|(number, ty)| (number, self.ty(ty))).collect();
        let signature = self.ty(function.function_type());
        let mut reader = Reader { code: self, values: &values, blocks: &block_numbers };
        let blocks = lists.iter().map(|list| list.iter().map(|i| reader.instruction(*i)).collect()).collect();
        self.unit.functions.push(FunctionCode { signature, copies, blocks });
    }

    fn ty(&mut self, ty: Type) -> TypeId {
        if let Some(&known) = self.types.get(&ty) {
            return known;
        }
        use TypeKind as K;
        let module = self.module;
        let kind = match ty.kind() {
            K::LLVMVoidTypeKind => code::TypeKind::Void,
            K::LLVMIntegerTypeKind => code::TypeKind::Int(ty.int_width()),
            K::LLVMHalfTypeKind => code::TypeKind::Float(16),
            K::LLVMFloatTypeKind => code::TypeKind::Float(32),
            K::LLVMDoubleTypeKind => code::TypeKind::Float(64),
            K::LLVMX86_FP80TypeKind => code::TypeKind::Float(80),
            K::LLVMFP128TypeKind => code::TypeKind::Float(128),
            K::LLVMPointerTypeKind => code::TypeKind::Pointer,
            K::LLVMArrayTypeKind => code::TypeKind::Array(self.ty(ty.element()), ty.length()),
            K::LLVMVectorTypeKind => code::TypeKind::Vector(self.ty(ty.element()), ty.length() as u32),
            K::LLVMStructTypeKind if ty.is_sized() => {
                let fields = ty.elements();
                let fields = fields.into_iter().enumerate();
                code::TypeKind::Struct(fields.map(|(i, f)| (self.ty(f), module.element_offset(ty, i as u32))).collect())
            }
            K::LLVMFunctionTypeKind => {
                let parameters = ty.parameters().into_iter().map(|p| self.ty(p)).collect();
                code::TypeKind::Function(self.ty(ty.result()), parameters, ty.is_variadic())
            }
            _ => code::TypeKind::Other(ty.spelling()),
        };
        let (size, alignment) = if ty.is_sized() { (module.abi_size(ty), module.abi_alignment(ty)) } else { (0, 1) };
        let id = self.unit.types.len() as TypeId;
        self.unit.types.push(code::Type { kind, size, alignment });
        self.types.insert(ty, id);
        id
    }

    fn symbol(&mut self, function: Value) -> u32 {
        let name = function.name();
        self.symbol_named(name.strip_suffix(SUFFIX).unwrap_or(&name))
    }

    fn symbol_named(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.symbols.get(name) {
            return known;
        }
        let id = self.unit.symbols.len() as u32;
        self.unit.symbols.push(name.into());
        self.symbols.insert(name.into(), id);
        id
    }

    fn global(&mut self, global: Value) -> u32 {
        if let Some(&known) = self.globals.get(&global) {
            return known;
        }
        let id = self.unit.globals.len() as u32;
        self.globals.insert(global, id);
        let ty = self.ty(global.global_type());
        self.unit.globals.push(Global {
            name: global.name(),
            ty,
            alignment: global.alignment().max(self.unit.types[ty as usize].alignment),
            initial: None,
            same_as: None,
            constant: global.is_constant_global(),
            thread_local: global.is_thread_local(),
            internal: global.is_internal(),
        });
        if let Some(initial) = global.initial() {
            let initial = self.constant(initial);
            self.unit.globals[id as usize].initial = Some(initial);
        }
        id
    }

    /// Another name of a global. One that other units may define differently has the linker decide.
    fn alias(&mut self, alias: Value, of: Value) -> u32 {
        if let Some(&known) = self.globals.get(&alias) {
            return known;
        }
        let of = self.global(of);
        let id = self.unit.globals.len() as u32;
        self.globals.insert(alias, id);
        let same = Global {
            name: alias.name(),
            initial: None,
            same_as: Some(of),
            internal: alias.is_internal(),
            ..self.unit.globals[of as usize].clone()
        };
        self.unit.globals.push(same);
        id
    }

    /// Other units know these by name only.
    pub fn add_aliases(&mut self) {
        for alias in self.module.aliases() {
            if let Some(of) = alias.aliased().filter(|of| of.is_global_variable()) {
                self.alias(alias, of);
            }
        }
    }

    fn constant(&mut self, value: Value) -> ConstantId {
        if let Some(&known) = self.constants.get(&value) {
            return known;
        }
        let made = self.new_constant(value);
        let id = self.unit.constants.len() as ConstantId;
        self.unit.constants.push(made);
        self.constants.insert(value, id);
        id
    }

    fn new_constant(&mut self, value: Value) -> Constant {
        if value.is_global_variable() {
            return Constant::Global(self.global(value));
        }
        if let Some(function) = function_of(value) {
            return Constant::Function(self.symbol(function));
        }
        if let Some(of) = value.aliased().filter(|of| of.is_global_variable()) {
            return Constant::Global(self.alias(value, of));
        }
        let ty = self.ty(value.ty());
        if let Some(number) = value.constant_value() {
            return Constant::Int(ty, number);
        }
        if value.is_undefined() {
            return Constant::Undefined(ty);
        }
        if value.is_null() {
            return Constant::Null(ty);
        }
        if let Some(bits) = value.float_bits() {
            return Constant::Float(ty, bits);
        }
        if let Some(bytes) = value.data_bytes() {
            return Constant::Bytes(ty, bytes);
        }
        if let Some(elements) = value.constant_elements() {
            return Constant::Elements(ty, elements.into_iter().map(|e| self.constant(e)).collect());
        }
        if value.is_constant_expression() {
            match value.constant_opcode() {
                Opcode::LLVMGetElementPtr => {
                    if let Some((base, offset)) = self.module.constant_offset(value) {
                        return Constant::Offset(self.constant(base), offset);
                    }
                }
                opcode => {
                    if let Some(cast) = cast(opcode) {
                        return Constant::Cast(cast, ty, self.constant(value.operand(0)));
                    }
                    if let Some(binary) = binary(opcode) {
                        let (a, b) = (self.constant(value.operand(0)), self.constant(value.operand(1)));
                        return Constant::Binary(binary, ty, a, b);
                    }
                }
            }
        }
        Constant::Other(ty, value.spelling())
    }
}

struct Reader<'a> {
    code: &'a mut Code,
    values: &'a FxHashMap<Value, u32>,
    blocks: &'a FxHashMap<Block, u32>,
}

impl Reader<'_> {
    fn operand(&mut self, value: Value) -> Operand {
        match self.values.get(&value) {
            Some(&number) => Operand::Value(number),
            None => Operand::Constant(self.code.constant(value)),
        }
    }

    fn of(&mut self, instruction: Value, number: u32) -> Operand {
        self.operand(instruction.operand(number))
    }

    fn instruction(&mut self, i: Value) -> Instruction {
        Instruction { ty: self.code.ty(i.ty()), line: line(i), what: self.what(i) }
    }

    fn what(&mut self, i: Value) -> What {
        use Opcode as O;
        let opcode = i.opcode();
        if let Some(binary) = binary(opcode) {
            return What::Binary(binary, self.of(i, 0), self.of(i, 1));
        }
        if let Some(cast) = cast(opcode) {
            return What::Cast(cast, self.of(i, 0));
        }
        match opcode {
            O::LLVMFNeg => What::Negate(self.of(i, 0)),
            O::LLVMICmp => What::Compare(order(i.int_predicate()), self.of(i, 0), self.of(i, 1)),
            // LLVM numbers these predicates by the outcomes that make them true.
            O::LLVMFCmp => What::FloatCompare(i.real_predicate() as u8, self.of(i, 0), self.of(i, 1)),
            O::LLVMSelect => What::Select(self.of(i, 0), self.of(i, 1), self.of(i, 2)),
            O::LLVMPHI => {
                let incoming = i.incoming();
                What::Phi(incoming.into_iter().map(|(v, from)| (self.blocks[&from], self.operand(v))).collect())
            }
            O::LLVMLoad => What::Load { from: self.of(i, 0), alignment: i.alignment(), volatile: i.is_volatile() },
            O::LLVMStore => {
                let (value, to) = (self.of(i, 0), self.of(i, 1));
                What::Store { value, to, alignment: i.alignment(), volatile: i.is_volatile() }
            }
            O::LLVMAlloca => {
                What::Alloca { of: self.code.ty(i.allocated_type()), count: self.of(i, 0), alignment: i.alignment() }
            }
            O::LLVMGetElementPtr => self.address(i),
            O::LLVMCall => What::Call(self.call(i)),
            O::LLVMInvoke => What::Invoke(self.call(i)),
            O::LLVMExtractValue => What::Extract(self.of(i, 0), i.aggregate_indices()),
            O::LLVMInsertValue => What::Insert(self.of(i, 0), self.of(i, 1), i.aggregate_indices()),
            O::LLVMExtractElement => What::ExtractElement(self.of(i, 0), self.of(i, 1)),
            O::LLVMInsertElement => What::InsertElement(self.of(i, 0), self.of(i, 1), self.of(i, 2)),
            O::LLVMShuffleVector => What::Shuffle(self.of(i, 0), self.of(i, 1), i.shuffle_mask()),
            O::LLVMFreeze => What::Freeze(self.of(i, 0)),
            O::LLVMAtomicRMW => {
                let how = format!("{:?}", i.atomic_operation()).replace("LLVMAtomicRMWBinOp", "").to_lowercase();
                What::ReadModifyWrite { how, at: self.of(i, 0), with: self.of(i, 1) }
            }
            O::LLVMAtomicCmpXchg => {
                What::CompareExchange { at: self.of(i, 0), expected: self.of(i, 1), new: self.of(i, 2) }
            }
            O::LLVMLandingPad => What::LandingPad,
            O::LLVMRet => What::Return(i.operands().first().map(|v| self.operand(*v))),
            O::LLVMBr if i.is_conditional_branch() => What::Branch(self.operand(i.condition())),
            O::LLVMBr => What::Jump,
            O::LLVMSwitch => {
                let cases = (1..i.successor_count()).map(|case| i.case_value(case)).collect();
                What::Switch(self.operand(i.condition()), cases)
            }
            O::LLVMResume => What::Resume(self.of(i, 0)),
            O::LLVMUnreachable => What::Unreachable,
            _ => {
                let operands = i.operands().into_iter().filter(|o| !o.is_block()).collect::<Vec<_>>();
                What::Other(i.opcode_name(), operands.into_iter().map(|o| self.operand(o)).collect())
            }
        }
    }

    /// An address as a sum.
    fn address(&mut self, i: Value) -> What {
        let module = self.code.module;
        if i.ty().is_vector() {
            let operands = i.operands().into_iter().map(|o| self.operand(o)).collect();
            return What::Other("vector address".into(), operands);
        }
        let base = self.of(i, 0);
        let (mut offset, mut terms) = (0i64, vec![]);
        let mut ty = i.gep_source_type();
        for (number, index) in i.operands().into_iter().enumerate().skip(1) {
            let mut step = module.abi_size(ty) as i64;
            if number > 1 {
                if ty.kind() == TypeKind::LLVMStructTypeKind {
                    let field = index.constant_value().unwrap_or(0) as u32;
                    offset = offset.wrapping_add(module.element_offset(ty, field) as i64);
                    ty = ty.elements()[field as usize];
                    continue;
                }
                ty = ty.element();
                step = module.abi_size(ty) as i64;
            }
            match index.signed_value() {
                Some(value) => offset = offset.wrapping_add(value.wrapping_mul(step)),
                None => terms.push((self.operand(index), step)),
            }
        }
        What::Address { base, offset, terms }
    }

    fn call(&mut self, i: Value) -> Call {
        let called = i.called_value();
        let callee = if called.is_inline_asm() && called.is_empty_assembly() && i.ty().is_void() {
            // What is only there for the optimiser (`asm volatile("" ::: "memory")`) does nothing.
            Callee::Direct(self.code.symbol_named("llvm.sideeffect"))
        } else if called.is_inline_asm() {
            Callee::Assembly
        } else if let Some(function) = function_of(called) {
            Callee::Direct(self.code.symbol(function))
        } else {
            Callee::Indirect(self.operand(called))
        };
        let arguments = i.arguments();
        let copies = (0..arguments.len() as u32).filter_map(|n| Some((n, i.call_byval(n)?))).collect::<Vec<_>>();
        Call {
            callee,
            signature: self.code.ty(i.called_type()),
            arguments: arguments.into_iter().map(|a| self.operand(a)).collect(),
            copies: copies.into_iter().map(|(n, ty)| (n, self.code.ty(ty))).collect(),
        }
    }
}

/// The function that a function or another name of one stands for; the name itself when other units may define it.
fn function_of(value: Value) -> Option<Value> {
    match value.aliased() {
        None => value.is_function().then_some(value),
        Some(of) if of.is_function() => Some(if value.is_interposable() { value } else { of }),
        Some(_) => None,
    }
}

fn binary(opcode: Opcode) -> Option<Binary> {
    use Opcode as O;
    Some(match opcode {
        O::LLVMAdd => Binary::Add,
        O::LLVMSub => Binary::Sub,
        O::LLVMMul => Binary::Mul,
        O::LLVMUDiv => Binary::UDiv,
        O::LLVMSDiv => Binary::SDiv,
        O::LLVMURem => Binary::URem,
        O::LLVMSRem => Binary::SRem,
        O::LLVMShl => Binary::Shl,
        O::LLVMLShr => Binary::LShr,
        O::LLVMAShr => Binary::AShr,
        O::LLVMAnd => Binary::And,
        O::LLVMOr => Binary::Or,
        O::LLVMXor => Binary::Xor,
        O::LLVMFAdd => Binary::FAdd,
        O::LLVMFSub => Binary::FSub,
        O::LLVMFMul => Binary::FMul,
        O::LLVMFDiv => Binary::FDiv,
        O::LLVMFRem => Binary::FRem,
        _ => return None,
    })
}

fn cast(opcode: Opcode) -> Option<Cast> {
    use Opcode as O;
    Some(match opcode {
        O::LLVMTrunc => Cast::Truncate,
        O::LLVMZExt => Cast::ZeroExtend,
        O::LLVMSExt => Cast::SignExtend,
        O::LLVMFPTrunc => Cast::FloatTruncate,
        O::LLVMFPExt => Cast::FloatExtend,
        O::LLVMFPToUI => Cast::FloatToUnsigned,
        O::LLVMFPToSI => Cast::FloatToSigned,
        O::LLVMUIToFP => Cast::UnsignedToFloat,
        O::LLVMSIToFP => Cast::SignedToFloat,
        // Between pointers and integers of their width; others are cut or extended by a second cast.
        O::LLVMPtrToInt | O::LLVMIntToPtr | O::LLVMBitCast | O::LLVMAddrSpaceCast => Cast::Bits,
        _ => return None,
    })
}

fn order(predicate: IntPredicate) -> Order {
    use IntPredicate as P;
    match predicate {
        P::LLVMIntEQ => Order::Equal,
        P::LLVMIntNE => Order::NotEqual,
        P::LLVMIntUGT => Order::UnsignedGreater,
        P::LLVMIntUGE => Order::UnsignedGreaterEqual,
        P::LLVMIntULT => Order::UnsignedLess,
        P::LLVMIntULE => Order::UnsignedLessEqual,
        P::LLVMIntSGT => Order::SignedGreater,
        P::LLVMIntSGE => Order::SignedGreaterEqual,
        P::LLVMIntSLT => Order::SignedLess,
        P::LLVMIntSLE => Order::SignedLessEqual,
    }
}
