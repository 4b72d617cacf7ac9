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
	/* The other registers hold what the control code left in them, another time something else. The program will not read
	 * them, but it may write them into its stack: a function with variable arguments saves all that could be arguments. */
	xorl %eax, %eax
	xorl %ecx, %ecx
	xorl %edx, %edx
	xorl %esi, %esi
	xorl %edi, %edi
	xorl %r8d, %r8d
	xorl %r9d, %r9d
	xorl %r10d, %r10d
	xorl %r11d, %r11d
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	pxor %xmm\number, %xmm\number
	.endr
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
