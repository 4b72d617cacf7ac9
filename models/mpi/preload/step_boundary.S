/* Switching between the application's stack and the control stack. Everything that the C calling convention lets a callee
 * keep is saved on the application's own stack, so that it is part of the local state. */
	.text
	.hidden step_leave
	.hidden step_resume
	.hidden step_switch
	.globl step_leave, step_resume, step_switch

	.type step_leave, @function
step_leave: /* rdi: save, rsi: stack_top, rdx: entry */
	.cfi_startproc
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	subq $8, %rsp
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	movw $0, 6(%rsp)
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	xorl %ebp, %ebp
	call *%rdx
	ud2
	.cfi_endproc
	.size step_leave, .-step_leave

	.type step_resume, @function
step_resume: /* rdi: stack pointer saved by step_leave */
	movq %rdi, %rsp
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
	.size step_resume, .-step_resume

	.type step_switch, @function
step_switch: /* rdi: stack_top, rsi: entry */
	movq %rdi, %rsp
	xorl %ebp, %ebp
	call *%rsi
	ud2
	.size step_switch, .-step_switch
	.section .note.GNU-stack,"",@progbits
