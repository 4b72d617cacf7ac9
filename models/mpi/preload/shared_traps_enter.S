/* Where a program goes on whose access to shared memory is a step of its own: what a call may change is kept here, on the program's own
 * stack, and given back to the processor after it:
 *
 *     sp:  struct trapped (shared_traps.c): r8 … r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags, …; parts; …; extended
 *     rsp - 136:  rip, to return by; above that the red zone
 *
 * What earlier calls have left below is zeroed, as where MPI's functions begin (caller.h). */
#define SP 120
#define FLAGS 136
#define PARTS 0xe7
#define EXTENDED 256
#define RED_ZONE 128
#define ZEROED_WORDS 512

	.text
	.hidden shared_traps_enter
	.hidden shared_traps_run
	.globl shared_traps_enter
	.type shared_traps_enter, @function
shared_traps_enter:
	movq %rsp, %rbx
	cld
	leaq -(8 * ZEROED_WORDS)(%rsp), %rdi
	movl $ZEROED_WORDS, %ecx
	xorl %eax, %eax
	rep stosq
	movq %rbx, %rdi
	call shared_traps_run
	movq %rbx, %rsp
	movl $PARTS, %eax
	xorl %edx, %edx
	xrstor64 EXTENDED(%rsp)
	pushq FLAGS(%rsp)
	popfq
	movq 0(%rsp), %r8
	movq 8(%rsp), %r9
	movq 16(%rsp), %r10
	movq 24(%rsp), %r11
	movq 32(%rsp), %r12
	movq 40(%rsp), %r13
	movq 48(%rsp), %r14
	movq 56(%rsp), %r15
	movq 64(%rsp), %rdi
	movq 72(%rsp), %rsi
	movq 80(%rsp), %rbp
	movq 88(%rsp), %rbx
	movq 96(%rsp), %rdx
	movq 104(%rsp), %rax
	movq 112(%rsp), %rcx
	movq SP(%rsp), %rsp
	leaq -(RED_ZONE + 8)(%rsp), %rsp
	ret $RED_ZONE
	.size shared_traps_enter, .-shared_traps_enter
	.section .note.GNU-stack,"",@progbits
