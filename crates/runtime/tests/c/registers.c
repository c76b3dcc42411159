/* Calls every slow function with known values in all registers that `preserve_most` keeps. */
#include "slow.h"
#include <stdio.h>

#define TRY(function)                                                                             \
  do {                                                                                                       \
    uint64_t r[16], sp_before, sp_after;                                                                     \
    __asm__ volatile("mov %%rsp, %[before]\n"                                                                \
                     "mov $0x1001, %%rax\n mov $0x1002, %%rcx\n mov $0, %%rdx\n mov $0, %%rsi\n"             \
                     "mov %[program], %%rdi\n mov $0x1006, %%r8\n mov $0x1007, %%r9\n mov $0x1008, %%r10\n"          \
                     "mov $0x100a, %%r12\n mov $0x100b, %%r13\n mov $0x100c, %%r14\n mov $0x100d, %%r15\n"   \
                     "call " #function "\n"                                                                  \
                     "mov %%rax, 0(%%rbx)\n mov %%rcx, 8(%%rbx)\n mov %%rdx, 16(%%rbx)\n"                    \
                     "mov %%rsi, 24(%%rbx)\n mov %%rdi, 32(%%rbx)\n mov %%r8, 40(%%rbx)\n"                   \
                     "mov %%r9, 48(%%rbx)\n mov %%r10, 56(%%rbx)\n mov %%r12, 64(%%rbx)\n"                   \
                     "mov %%r13, 72(%%rbx)\n mov %%r14, 80(%%rbx)\n mov %%r15, 88(%%rbx)\n"                  \
                     "mov %%rsp, %[after]\n"                                                                 \
                     : [before] "=m"(sp_before), [after] "=m"(sp_after)                                      \
                     : "b"(r), [program] "m"(nothing)                                                                               \
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",     \
                       "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",        \
                       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");        \
    const uint64_t expected[] = {0x1001, 0x1002, 0, 0, nothing, 0x1006,                         \
                                 0x1007, 0x1008, 0x100a, 0x100b, 0x100c, 0x100d};                            \
    for (int i = 0; i < 12; i++)                                                                             \
      if (r[i] != expected[i])                                                                               \
        return printf(#function ": register %d is %lx\n", i, r[i]), 1;                                       \
    if (sp_before != sp_after)                                                                               \
      return printf(#function ": stack\n"), 1;                                                               \
  } while (0)


int main(void) {
  static const uint32_t end[2] = {0, 0};
  const uint64_t nothing = (uint64_t)end;
  TRY(__symcrete_segment);
  TRY(__symcrete_concretise);
  TRY(__symcrete_lost);
  puts("kept");
  return 0;
}
