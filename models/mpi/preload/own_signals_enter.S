/* Where a program goes on whose system call sends itself a signal: runs the handlers as a call, and then has the processor as it was
 * after the system call. What a call may change is kept here, on the program's own stack:
 *
 *     sp:  struct interrupted (own_signals.c): r8 … r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags, …
 *     rsp - 136:  rip, to return by; above that the red zone
 */
#define SP 120
#define FLAGS 136
#define RED_ZONE 128
#define FLOATING_POINT_BYTES 512

	.text
	.hidden own_signals_enter
	.hidden own_signals_run
	.globl own_signals_enter
	.type own_signals_enter, @function
own_signals_enter:
	movq %rsp, %rbx
	subq $FLOATING_POINT_BYTES, %rsp
	fxsave64 (%rsp)
	cld
	movq %rbx, %rdi
	call own_signals_run
	fxrstor64 (%rsp)
	movq %rbx, %rsp
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
	.size own_signals_enter, .-own_signals_enter
	.section .note.GNU-stack,"",@progbits
