/* Switching between the stack of a rank and those of its operations (x86-64, System V). What a callee keeps is saved on the
 * stack that is left:
 *
 *     sp:  mxcsr u32 | x87 control word u16 | 0 u16 | r15 | r14 | r13 | r12 | rbx | rbp | return address
 *
 * Not swapcontext, which makes a system call each time and saves what has nothing to do with the operation. */
	.text
	.hidden stack_switch, stack_entry
	.globl stack_switch, stack_entry

	.type stack_switch, @function
stack_switch: /* rdi: where to keep the stack pointer of the stack that is left; rsi: the one to go on with */
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	pushq $0
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
	addq $8, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.size stack_switch, .-stack_switch

	.type stack_entry, @function
stack_entry: /* the first return address of a new stack; r12: function, r13: its argument. The function never returns. */
	.cfi_startproc
	.cfi_undefined rip
	movq %r13, %rdi
	call *%r12
	ud2
	.cfi_endproc
	.size stack_entry, .-stack_entry

/* Functions in which an operation or a rank may wait. What earlier calls left below would show through the holes of their
 * frames, and states of a rank that differ in nothing else would not be one: so it is zeroed first. */
	.macro CLEARED name, function
	.hidden \function
	.globl \name
	.type \name, @function
\name:
	movq %rdi, %r10
	movq %rcx, %r11
	leaq -512(%rsp), %rdi
	movl $64, %ecx
	xorl %eax, %eax
	rep stosq
	movq %r10, %rdi
	movq %r11, %rcx
	jmp \function
	.size \name, .-\name
	.endm

	CLEARED network_receive, receive_next
	CLEARED dps_next, operation_next
	CLEARED dps_post, operation_post
	CLEARED dps_post_as, operation_post_as

	.section .note.GNU-stack,"",@progbits
