// What LLVM's C API lacks. Everything that decides anything is in Rust (the crate `pass`); this file only forwards.
#include "versions.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
using namespace llvm;

extern "C" void symcrete_early(LLVMModuleRef module);
extern "C" void symcrete_late(LLVMModuleRef module);
extern "C" void symcrete_last(LLVMModuleRef module);
extern "C" void symcrete_only_inputs(LLVMModuleRef module);
extern "C" int symcrete_is_plain();

namespace {
template <void (*Stage)(LLVMModuleRef)> struct StagePass : PassInfoMixin<StagePass<Stage>> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    Stage(wrap(&module));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};
} // namespace

// How much is written is LLVM's business: it has grown between versions. A value this large is returned through memory,
// whose address is then the first argument and the result.
static_assert(sizeof(PassPluginLibraryInfo) > 16, "returned through memory");
extern "C" void *symcrete_plugin_info(void *place) {
  return new (place) PassPluginLibraryInfo{LLVM_PLUGIN_API_VERSION, "symcrete", "0.1", [](PassBuilder &builder) {
            if (symcrete_is_plain()) {
              builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
                passes.addPass(StagePass<symcrete_only_inputs>());
              });
              return;
            }
            builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
              FunctionPassManager functions;
              functions.addPass(SROAPass(SROAOptions::PreserveCFG));
              passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
              passes.addPass(StagePass<symcrete_early>());
            });
            // From 20 on these two are also told the phase of link-time optimisation.
            builder.registerOptimizerEarlyEPCallback([](ModulePassManager &passes, OptimizationLevel, auto...) {
              passes.addPass(StagePass<symcrete_late>());
            });
            builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel, auto...) {
              passes.addPass(StagePass<symcrete_last>());
            });
          }};
}

extern "C" {

// A copy of the function in the same module, internal, under a new name.
LLVMValueRef symcrete_clone(LLVMValueRef function, const char *name) {
  auto *original = unwrap<Function>(function);
  ValueToValueMapTy map;
  Function *copy = CloneFunction(original, map);
  copy->setName(name);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setDSOLocal(true);
  copy->setComdat(nullptr);
  copy->setSection("");
  return wrap(copy);
}

// Labels whose addresses are taken become numbers, and jumps to such addresses switches over them: a clone's blocks
// have other addresses than those that tables of labels hold. The first label is the switch's default. The switch has no
// line, so it is no decision of the source.
void symcrete_number_labels(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  IntegerType *word = Type::getInt64Ty(f->getContext());
  DenseMap<BasicBlock *, ConstantInt *> numbers;
  for (BasicBlock &block : *f) {
    BlockAddress *address = block.hasAddressTaken() ? BlockAddress::lookup(&block) : nullptr;
    if (!address)
      continue;
    auto *number = ConstantInt::get(word, numbers.size() + 1);
    numbers[&block] = number;
    address->replaceAllUsesWith(ConstantExpr::getIntToPtr(number, address->getType()));
    address->destroyConstant();
  }
  for (BasicBlock &block : *f) {
    auto *jump = dyn_cast<IndirectBrInst>(block.getTerminator());
    if (!jump)
      continue;
    SmallVector<BasicBlock *, 16> labels;
    for (unsigned i = 0; i < jump->getNumDestinations(); i++) {
      BasicBlock *label = jump->getDestination(i);
      if (numbers.count(label) && !is_contained(labels, label))
        labels.push_back(label);
      else
        label->removePredecessor(&block, true);
    }
    IRBuilder<> builder(jump);
    builder.SetCurrentDebugLocation(DebugLoc());
    if (labels.empty()) {
      builder.CreateUnreachable();
    } else {
      Value *number = builder.CreatePtrToInt(jump->getAddress(), word);
      SwitchInst *choice = builder.CreateSwitch(number, labels[0], labels.size() - 1);
      for (BasicBlock *label : drop_begin(labels))
        choice->addCase(numbers[label], label);
    }
    jump->eraseFromParent();
  }
}

// Leaves a function without its body, and with the linkage it had.
void symcrete_empty_body(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  auto linkage = f->getLinkage();
  f->deleteBody();
  f->setPersonalityFn(nullptr);
  f->setLinkage(linkage);
  f->removeFnAttr(Attribute::NoReturn);
  f->removeFnAttr(Attribute::Naked);
  f->removeFnAttr(Attribute::AlwaysInline);
}

// Splits before `at` and hangs a new block beside the cut that runs when `condition` holds, which is unlikely.
// Returns the new block's terminator.
LLVMValueRef symcrete_split_if(LLVMValueRef condition, LLVMValueRef at) {
  auto *before = unwrap<Instruction>(at);
  MDNode *weights = MDBuilder(before->getContext()).createUnlikelyBranchWeights();
  return wrap(SplitBlockAndInsertIfThen(unwrap(condition), before->getIterator(), false, weights));
}

// Splits the block before `at`; returns the second half.
LLVMBasicBlockRef symcrete_split_block(LLVMValueRef at) {
  auto *before = unwrap<Instruction>(at);
  return wrap(before->getParent()->splitBasicBlock(before->getIterator()));
}

// Puts a new block on edge `index` of `from`'s terminator; exactly that edge, also where several lead to one block.
LLVMBasicBlockRef symcrete_split_edge(LLVMBasicBlockRef from, unsigned index) {
  BasicBlock *source = unwrap(from);
  Instruction *end = source->getTerminator();
  BasicBlock *target = end->getSuccessor(index);
  BasicBlock *middle = BasicBlock::Create(source->getContext(), "", source->getParent(), target);
  BranchInst::Create(target, middle)->setDebugLoc(end->getDebugLoc());
  end->setSuccessor(index, middle);
  // PHIs of labels get their operands last, from the PHIs they stand beside.
  for (PHINode &phi : target->phis())
    if (int at = phi.getBasicBlockIndex(source); at >= 0)
      phi.setIncomingBlock(at, middle);
  return wrap(middle);
}

// First place where ordinary instructions may stand, past allocas.
LLVMValueRef symcrete_first_insertion(LLVMBasicBlockRef block) {
  BasicBlock *b = unwrap(block);
  auto it = b->getFirstNonPHIOrDbgOrAlloca();
  return it == b->end() ? nullptr : wrap(&*it);
}

int symcrete_has_insertion(LLVMBasicBlockRef block) { return unwrap(block)->getFirstInsertionPt() != unwrap(block)->end(); }
int symcrete_is_eh_pad(LLVMBasicBlockRef block) { return unwrap(block)->isEHPad(); }
int symcrete_is_interposable(LLVMValueRef name) { return unwrap<GlobalValue>(name)->isInterposable(); }
int symcrete_has_address_taken(LLVMValueRef function) { return unwrap<Function>(function)->hasAddressTaken(); }
int symcrete_is_must_tail(LLVMValueRef call) {
  auto *c = dyn_cast<CallInst>(unwrap(call));
  return c && c->isMustTailCall();
}
// Case `index` of a switch, counted from 1: the default is 0.
LLVMValueRef symcrete_case_value(LLVMValueRef instruction, unsigned index) {
  return wrap((unwrap<SwitchInst>(instruction)->case_begin() + (index - 1))->getCaseValue());
}
LLVMTypeKind symcrete_type_kind(LLVMTypeRef type) { return versions::kind_of(type); }
int symcrete_has_same_sign(LLVMValueRef compare) { return versions::has_same_sign(unwrap<ICmpInst>(compare)); }
int symcrete_does_not_return(LLVMValueRef call) { return unwrap<CallBase>(call)->doesNotReturn(); }
void symcrete_promote(LLVMValueRef function, LLVMValueRef slot) {
  DominatorTree dominators(*unwrap<Function>(function));
  PromoteMemToReg({unwrap<AllocaInst>(slot)}, dominators);
}
LLVMValueRef symcrete_constant_offset(LLVMModuleRef module, LLVMValueRef address, int64_t *offset) {
  const DataLayout &layout = unwrap(module)->getDataLayout();
  APInt sum(64, 0);
  Value *base = unwrap(address)->stripAndAccumulateConstantOffsets(layout, sum, true);
  *offset = sum.getSExtValue();
  return wrap(base);
}
int symcrete_float_bits(LLVMValueRef value, uint64_t *bits) {
  auto *number = dyn_cast<ConstantFP>(unwrap(value));
  if (!number || number->getType()->isVectorTy())
    return 0;
  APInt raw = number->getValueAPF().bitcastToAPInt();
  if (raw.getBitWidth() > 64)
    return 0;
  *bits = raw.getZExtValue();
  return 1;
}
int symcrete_only_reads(LLVMValueRef call) { return unwrap<CallBase>(call)->onlyReadsMemory(); }
int symcrete_returns_twice(LLVMValueRef call) { return unwrap<CallBase>(call)->hasFnAttr(Attribute::ReturnsTwice); }
int symcrete_is_debug_or_pseudo(LLVMValueRef instruction) { return unwrap<Instruction>(instruction)->isDebugOrPseudoInst(); }
int symcrete_pic_level(LLVMModuleRef module) { return unwrap(module)->getPICLevel(); }
int symcrete_pie_level(LLVMModuleRef module) { return unwrap(module)->getPIELevel(); }
void symcrete_strip_debug(LLVMValueRef function) { stripDebugInfo(*unwrap<Function>(function)); }
// How many scopes an instruction is inside the lexical block of another one; -1 when it is not inside.
int symcrete_depth_in_scope_of(LLVMValueRef inner, LLVMValueRef outer) {
  auto *a = unwrap<Instruction>(inner)->getDebugLoc().get(), *b = unwrap<Instruction>(outer)->getDebugLoc().get();
  if (!a || !b || !isa<DILexicalBlockBase>(b->getScope()))
    return -1;
  int depth = 0;
  for (const DIScope *scope = a->getScope(); scope; scope = scope->getScope(), depth++)
    if (scope == b->getScope())
      return depth;
  return -1;
}
unsigned symcrete_subprogram_line(LLVMValueRef function) {
  auto *program = unwrap<Function>(function)->getSubprogram();
  return program ? program->getLine() : 0;
}
// The name in the source, or null.
const char *symcrete_source_name(LLVMValueRef function, size_t *length) {
  auto *program = unwrap<Function>(function)->getSubprogram();
  if (!program)
    return nullptr;
  *length = program->getName().size();
  return program->getName().data();
}
const char *symcrete_source_file(LLVMValueRef function, size_t *length) {
  auto *program = unwrap<Function>(function)->getSubprogram();
  if (!program || !program->getFile())
    return nullptr;
  *length = program->getFilename().size();
  return program->getFilename().data();
}

// Declares the marker: cheap enough that passes leave it alone, yet tied to its own place.
void symcrete_mark_as_marker(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  f->setDoesNotThrow();
  f->setWillReturn();
  f->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  f->addFnAttr(Attribute::NoCallback);
  f->addFnAttr(Attribute::NoSync);
}
void symcrete_mark_as_pure(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  f->setDoesNotThrow();
  f->setWillReturn();
  f->setMemoryEffects(MemoryEffects::none());
}
void symcrete_set_no_merge(LLVMValueRef call) { unwrap<CallBase>(call)->addFnAttr(Attribute::NoMerge); }

// A tracking body does more than its original: promises about memory and control no longer hold.
void symcrete_strip_promises(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  AttributeMask mask;
  mask.addAttribute(Attribute::Memory).addAttribute(Attribute::NoSync).addAttribute(Attribute::NoFree)
      .addAttribute(Attribute::WillReturn).addAttribute(Attribute::NoRecurse).addAttribute(Attribute::NoCallback)
      .addAttribute(Attribute::Speculatable);
  f->removeFnAttrs(mask);
  AttributeMask parameter;
  parameter.addAttribute(Attribute::ReadNone).addAttribute(Attribute::ReadOnly).addAttribute(Attribute::WriteOnly)
      .addAttribute(Attribute::Returned);
  for (unsigned i = 0; i < f->arg_size(); i++)
    f->removeParamAttrs(i, parameter);
}
void symcrete_strip_call_promises(LLVMValueRef call) {
  auto *c = unwrap<CallBase>(call);
  AttributeMask mask;
  mask.addAttribute(Attribute::Memory).addAttribute(Attribute::NoSync).addAttribute(Attribute::NoFree)
      .addAttribute(Attribute::WillReturn).addAttribute(Attribute::NoCallback).addAttribute(Attribute::Speculatable);
  c->removeFnAttrs(mask);
  AttributeMask parameter;
  parameter.addAttribute(Attribute::ReadNone).addAttribute(Attribute::ReadOnly).addAttribute(Attribute::WriteOnly)
      .addAttribute(Attribute::Returned);
  for (unsigned i = 0; i < c->arg_size(); i++)
    c->removeParamAttrs(i, parameter);
}

void symcrete_append_used(LLVMModuleRef module, LLVMValueRef *values, unsigned count) {
  SmallVector<GlobalValue *> list;
  for (unsigned i = 0; i < count; i++)
    list.push_back(unwrap<GlobalValue>(values[i]));
  appendToUsed(*unwrap(module), list);
}

// Blocks whose mark is implied by another block's mark: one that dominates all its successors' executions, or
// is always followed by a marked one. `implied[i]` is set for block number i (in function order).
void symcrete_implied_blocks(LLVMValueRef function, unsigned char *implied) {
  auto *f = unwrap<Function>(function);
  DominatorTree dominators(*f);
  PostDominatorTree post(*f);
  unsigned number = 0;
  for (BasicBlock &block : *f) {
    unsigned me = number++;
    if (&block == &f->getEntryBlock())
      continue;
    if (BasicBlock *before = block.getSinglePredecessor())
      if (before->getSingleSuccessor() == &block) {
        implied[me] = 1;
        continue;
      }
    bool by_successors = !succ_empty(&block);
    for (BasicBlock *next : successors(&block))
      by_successors &= next != &block && dominators.dominates(&block, next);
    bool by_predecessors = !pred_empty(&block) && !block.getSinglePredecessor();
    for (BasicBlock *before : predecessors(&block))
      by_predecessors &= before != &block && post.dominates(&block, before);
    implied[me] = by_successors || by_predecessors;
  }
}

}

extern "C" {
void symcrete_copy_attributes(LLVMValueRef call, LLVMValueRef function) {
  auto *c = unwrap<CallBase>(call);
  AttributeList list = unwrap<Function>(function)->getAttributes();
  c->setAttributes(list.removeFnAttributes(c->getContext()));
}
void symcrete_move_before(LLVMValueRef instruction, LLVMValueRef at) {
  versions::move_before(unwrap<Instruction>(instruction), unwrap<Instruction>(at));
}
void symcrete_set_unlikely(LLVMValueRef branch) {
  auto *b = unwrap<Instruction>(branch);
  b->setMetadata(LLVMContext::MD_prof, MDBuilder(b->getContext()).createUnlikelyBranchWeights());
}
void symcrete_set_dso_local(LLVMValueRef global) { unwrap<GlobalValue>(global)->setDSOLocal(true); }
int symcrete_is_constant_memory(LLVMValueRef pointer) {
  auto *global = dyn_cast<GlobalVariable>(getUnderlyingObject(unwrap(pointer)));
  return global && global->isConstant();
}
}
