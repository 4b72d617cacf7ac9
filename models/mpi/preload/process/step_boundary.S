/* Switching between the application's stack and the control stack. Everything that the C calling convention lets a callee
 * keep is saved on the application's own stack, so that it is part of the local state, and so are the floating point
 * exceptions that have been raised (fetestexcept), which survive calls too:
 *
 *     sp:  mxcsr u32 | x87 control word u16 | x87 exceptions u16 | r15 | r14 | r13 | r12 | rbx | rbp | return address
 */
#define X87_EXCEPTIONS 0x3f
#define X87_ENVIRONMENT_BYTES 32 /* 28, and the stack stays aligned */
#define WIDE_PARTS 0xe4		 /* avx, avx-512 */
#define MXCSR_DEFAULT 0x1f80

	.section .rodata
	.balign 64
initial_state: /* as xrstor has it: no part is in use */
	.zero 24
	.long MXCSR_DEFAULT
	.zero 548

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
	fnstsw %ax
	andw $X87_EXCEPTIONS, %ax
	movw %ax, 6(%rsp)
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	xorl %ebp, %ebp
	call *%rdx
	ud2
	.cfi_endproc
	.size step_leave, .-step_leave

	.type step_resume, @function
step_resume: /* rdi: stack pointer saved by step_leave */
	/* There is no instruction for the exceptions alone. Where the last x87 instruction was becomes nowhere: swapcontext
	 * would store what another step had done. Nothing is written below the application's stack pointer. */
	subq $X87_ENVIRONMENT_BYTES, %rsp
	fninit
	fnstenv (%rsp)
	movw 4(%rdi), %ax
	movw %ax, (%rsp)
	movw 6(%rdi), %ax
	movw %ax, 4(%rsp)
	fldenv (%rsp)
	/* What is behind the registers zeroed below, as it was initially: it is saved where a program is stopped in the middle
	 * (shared_traps.c). */
	movl $WIDE_PARTS, %eax
	xorl %edx, %edx
	xrstor64 initial_state(%rip)
	movq %rdi, %rsp
	ldmxcsr (%rsp)
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
