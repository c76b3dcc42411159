//! Labels across calls. They travel in the runtime's block, stamped with the callee's key: no signature
//! changes, so indirect calls, variadic functions, exceptions and calling conventions stay as they are.

use crate::ir::{Builder, IntPredicate, Type, TypeKind, Value, split_if};
use crate::late::intrinsics::Kind;
use crate::late::segment::Plan;
use crate::late::track::{
    COUNT, FLOATS, Labels, RESULT_STAMP, STAMP, Tracker, argument_offset, merge_head, result_offset, value_offset,
};
use std::mem::offset_of;
use symcrete_abi::functions as rt;
use symcrete_abi::{Lost, libc_models};

impl Tracker<'_> {
    pub fn call(&mut self, call: Value, kind: Kind, plan: &Plan) {
        let site = plan.get(&call).copied().unwrap_or(0);
        match kind {
            Kind::Copy => self.copy(call, site),
            Kind::Fill => self.fill(call, site),
            Kind::Lifetime => self.lifetime(call),
            Kind::VaCopy => self.copy_list(call, site),
            Kind::VaStart => self.start_list(call),
            _ if call.called_value().is_inline_asm() => self.assembly(call, site),
            _ => self.ordinary(call, site),
        }
    }

    /// A stack slot comes to life: what an older frame left there is not its content.
    fn lifetime(&mut self, call: Value) {
        let Some(slot) = call.arguments().into_iter().find(|a| a.is_alloca()) else { return };
        if let Some(count) = slot.operand(0).constant_value() {
            let size = self.late.module.abi_size(slot.allocated_type()) * count as u64;
            self.clear_memory(slot, size, call);
        }
    }

    fn assembly(&mut self, call: Value, site: u32) {
        let labels: Labels =
            call.arguments().iter().flat_map(|a| self.labels_of(*a)).filter(|l| !self.is_zero(*l)).collect();
        let builder = Builder::before(self.late.module, call);
        let Some(any) = labels.into_iter().reduce(|a, b| builder.or(a, b)) else { return };
        let end = split_if(builder.is_not_null(any), call);
        let builder = Builder::before(self.late.module, end);
        let lost = builder.call(
            self.late.runtime(rt::LOST),
            &[self.late.i32(Lost::Assembly as u64), self.site_value(&builder, site)],
        );
        lost.set_convention(crate::ir::PRESERVE_MOST);
    }

    fn ordinary(&mut self, call: Value, site: u32) {
        let module = self.late.module;
        call.make_not_tail();
        call.strip_call_promises();
        self.use_model(call);
        let mut callee = call.called_value();
        if !callee.is_constant() {
            self.fix_target(call, callee, site);
            callee = self.redirect(call, callee);
        }
        let inside = callee.is_function() && self.is_tracking(callee);
        let key = if inside { self.late.key(callee) } else { callee };
        let arguments = call.arguments();
        for (number, argument) in arguments.iter().enumerate() {
            if let Some(ty) = call.call_byval(number as u32) {
                let builder = Builder::before(module, call);
                let size = self.late.i64(module.store_size(ty));
                builder.call(self.late.runtime(rt::BYVAL_PASS), &[self.late.i32(number as u64), *argument, size]);
            }
        }
        if inside {
            self.pass_inside(call, key, &arguments);
        } else {
            self.pass_outside(call, key, &arguments);
        }
        self.take_results(call, key, inside, site);
    }

    /// A library function with a model: the model is called instead, as any instrumented function.
    fn use_model(&self, call: Value) {
        let Some(callee) = call.called_function() else { return };
        if callee.is_declaration() && libc_models::has(&callee.name()) {
            call.set_callee(self.late.model(callee));
        }
    }

    /// An indirect call through an input-dependent pointer goes where it went.
    fn fix_target(&mut self, call: Value, callee: Value, site: u32) {
        let label = self.labels_of(callee)[0];
        if self.is_zero(label) {
            return;
        }
        let builder = Builder::before(self.late.module, call);
        let end = split_if(builder.is_not_null(label), call);
        let builder = Builder::before(self.late.module, end);
        self.show_path(&builder);
        let fixed = builder.call(
            self.late.runtime(rt::CONCRETISE),
            &[label, self.site_value(&builder, site), self.late.i32(Lost::Pointer as u64)],
        );
        fixed.set_convention(crate::ir::PRESERVE_MOST);
    }

    /// An indirect call of a library function that has a model goes to the model.
    fn redirect(&mut self, call: Value, callee: Value) -> Value {
        let module = self.late.module;
        let builder = Builder::before(module, call);
        let natives = self.late.runtime_global(rt::NATIVES);
        let word = |offset: usize| builder.load(module.int(64), builder.offset(natives, offset as u64), 8);
        let low = word(offset_of!(rt::Natives, low));
        let span = word(offset_of!(rt::Natives, span));
        let place = builder.sub(builder.bits(callee, 64), low);
        let end = split_if(builder.icmp(IntPredicate::LLVMIntULE, place, span), call);
        let (slow, merge) = (end.parent(), call.parent());
        let found = Builder::before(module, end).call(self.late.runtime(rt::CALLEE), &[callee]);
        let target = Builder::before(module, merge.first()).phi(module.ptr());
        target.add_incoming(found, slow);
        target.add_incoming(callee, merge_head(merge, slow));
        call.set_callee(target);
        target
    }

    /// The callee is a tracking body: it is told only when there is something to tell.
    fn pass_inside(&mut self, call: Value, key: Value, arguments: &[Value]) {
        let labels: Vec<Value> = arguments.iter().flat_map(|a| self.labels_of(*a)).collect();
        let builder = Builder::before(self.late.module, call);
        let Some(any) = labels.iter().copied().filter(|l| !self.is_zero(*l)).reduce(|a, b| builder.or(a, b)) else {
            return;
        };
        let end = split_if(builder.is_not_null(any), call);
        let builder = Builder::before(self.late.module, end);
        self.tell_floats(&builder, call);
        self.stamp(&builder, key, &labels);
    }

    /// The callee may be anything: it is always told, so that what it did not take can be seen.
    fn pass_outside(&mut self, call: Value, key: Value, arguments: &[Value]) {
        let builder = Builder::before(self.late.module, call);
        self.tell_floats(&builder, call);
        let blind = call.called_function().is_some_and(|f| libc_models::BLIND.binary_search(&&*f.name()).is_ok());
        let mut labels = vec![];
        for argument in arguments {
            let leaves = self.leaves(argument.ty());
            for (leaf, label) in leaves.iter().zip(self.labels_of(*argument)) {
                if labels.len() < rt::BLOCK_ARGUMENTS {
                    let value = if leaf.tracked && !blind {
                        builder.bits(leaf.of(&builder, *argument), 64)
                    } else {
                        self.late.i64(0)
                    };
                    builder.store(value, builder.offset(self.late.block(), value_offset(labels.len())), 8);
                }
                labels.push(label);
            }
        }
        self.stamp(&builder, key, &labels);
    }

    fn stamp(&self, builder: &Builder, key: Value, labels: &[Value]) {
        let block = self.late.block();
        let count = labels.len().min(rt::BLOCK_ARGUMENTS);
        for (slot, label) in labels[..count].iter().enumerate() {
            builder.store(*label, builder.offset(block, argument_offset(slot)), 4);
        }
        builder.store(self.late.i32(count as u64), builder.offset(block, COUNT), 4);
        builder.store(builder.bits(key, 64), builder.offset(block, STAMP), 8);
    }

    /// After the call: what it did not take is lost, what it returned has labels of its own.
    fn take_results(&mut self, call: Value, key: Value, inside: bool, site: u32) {
        let module = self.late.module;
        let at = if call.is_invoke() {
            // The way of an exception needs nothing; the ordinary one gets a block of its own.
            let after = call.parent().split_edge(0);
            after.terminator()
        } else {
            match call.next() {
                Some(next) => next,
                None => return,
            }
        };
        if at.is_unreachable() {
            return;
        }
        let block = self.late.block();
        if !inside {
            let builder = Builder::before(module, at);
            let stamp = builder.load(module.int(64), builder.offset(block, STAMP), 8);
            let end = split_if(builder.is_not_null(stamp), at);
            let builder = Builder::before(module, end);
            let site = self.site_value(&builder, site);
            builder.call(self.late.runtime(rt::UNTAKEN), &[site]);
        }
        if !self.live.contains(&call) {
            return;
        }
        let builder = Builder::before(module, at);
        let stamp = builder.load(module.int(64), builder.offset(block, RESULT_STAMP), 8);
        let own = builder.icmp(IntPredicate::LLVMIntEQ, stamp, builder.bits(key, 64));
        let end = split_if(own, at);
        let (slow, merge) = (end.parent(), at.parent());
        let head = merge_head(merge, slow);
        let builder = Builder::before(module, end);
        builder.store(self.late.i64(0), builder.offset(block, RESULT_STAMP), 8);
        let labels: Labels = (0..self.leaves(call.ty()).len())
            .map(|slot| {
                let label = builder.load(module.int(32), builder.offset(block, result_offset(slot)), 4);
                let phi = Builder::before(module, merge.first()).phi(module.int(32));
                phi.add_incoming(label, slow);
                phi.add_incoming(self.zero(), head);
                phi
            })
            .collect();
        self.set_labels(call, labels);
    }

    /// At return: labelled results are left in the block.
    pub fn leave(&mut self, ret: Value) {
        let Some(&value) = ret.operands().first() else { return };
        let labels = self.labels_of(value);
        let builder = Builder::before(self.late.module, ret);
        let Some(any) = labels.iter().copied().filter(|l| !self.is_zero(*l)).reduce(|a, b| builder.or(a, b)) else {
            return;
        };
        let end = split_if(builder.is_not_null(any), ret);
        let builder = Builder::before(self.late.module, end);
        let block = self.late.block();
        for (slot, label) in labels.iter().enumerate() {
            builder.store(*label, builder.offset(block, result_offset(slot)), 4);
        }
        builder.store(builder.bits(self.key, 64), builder.offset(block, RESULT_STAMP), 8);
    }

    /// `va_copy`: the list is plain memory.
    fn copy_list(&mut self, call: Value, site: u32) {
        let a = call.arguments();
        let builder = Builder::before(self.late.module, call);
        let (zero, site) = (self.zero(), self.site_value(&builder, site));
        builder.call(self.late.runtime(rt::COPY), &[a[0], a[1], self.late.i64(24), zero, zero, zero, site]);
    }

    /// `va_start`: the labels kept at entry go where the values lie.
    fn start_list(&mut self, call: Value) {
        let list = call.arguments()[0];
        let (Some(saved), Some(after)) = (self.variadic, call.next()) else { return };
        let builder = Builder::before(self.late.module, after);
        builder.call(self.late.runtime(rt::VARIADIC_START), &[list, saved]);
    }

    /// Tells a variadic callee which arguments came in vector registers.
    fn tell_floats(&self, builder: &Builder, call: Value) {
        if !call.called_type().is_variadic() {
            return;
        }
        let is_float = |ty: Type| matches!(ty.kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind);
        let kinds = call.arguments().into_iter().flat_map(|a| vec![is_float(a.ty()); self.leaves(a.ty()).len()]);
        let bits = kinds.take(32).enumerate().fold(0u64, |bits, (i, float)| bits | u64::from(float) << i);
        builder.store(self.late.i32(bits), builder.offset(self.late.block(), FLOATS), 4);
    }
}
