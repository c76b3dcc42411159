// Where LLVM 19 to 22 differ in what the plugin uses. The only place that asks for a version: everything else, in C++
// and in Rust, is the same for all.
#ifndef SYMCRETE_VERSIONS_H
#define SYMCRETE_VERSIONS_H

#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

static_assert(LLVM_VERSION_MAJOR >= 19 && LLVM_VERSION_MAJOR <= 22, "the plugin is written for LLVM 19 to 22");

namespace versions {
using namespace llvm;

// `icmp samesign` is new in 20.
inline bool has_same_sign(const ICmpInst *compare) {
#if LLVM_VERSION_MAJOR >= 20
  return compare->hasSameSign();
#else
  (void)compare;
  return false;
#endif
}

// The type of MMX registers is gone from 20 on, and unknown to the Rust side: like AMX it is one that nobody follows.
inline LLVMTypeKind kind_of(LLVMTypeRef type) {
#if LLVM_VERSION_MAJOR < 20
  if (unwrap(type)->isX86_MMXTy())
    return LLVMX86_AMXTypeKind;
#endif
  return LLVMGetTypeKind(type);
}

inline void move_before(Instruction *moved, Instruction *at) {
#if LLVM_VERSION_MAJOR >= 20
  moved->moveBefore(at->getIterator());
#else
  moved->moveBefore(at);
#endif
}
} // namespace versions

#endif
