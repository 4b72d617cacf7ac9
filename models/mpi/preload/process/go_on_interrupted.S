/* Gives the processor back what it had where a program was interrupted, and goes on there. Jumped to, with rsp at what was kept on the
 * program's own stack:
 *
 *     sp:  r8 … r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags: as signal frames have them
 *     rsp - 136:  rip, to return by; above that the red zone
 */
#define SP 120
#define FLAGS 136
#define RED_ZONE 128

	.text
	.hidden go_on_interrupted
	.globl go_on_interrupted
	.type go_on_interrupted, @function
go_on_interrupted:
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
	.size go_on_interrupted, .-go_on_interrupted
	.section .note.GNU-stack,"",@progbits
