/* long raw_syscall(long number, long a, long b, long c, long d, long e, long f) */
	.text
	.hidden raw_syscall
	.hidden raw_syscall_begin
	.hidden raw_syscall_end
	.globl raw_syscall, raw_syscall_begin, raw_syscall_end
	.type raw_syscall, @function
raw_syscall_begin:
raw_syscall:
	.cfi_startproc
	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	movq %rcx, %rdx
	movq %r8, %r10
	movq %r9, %r8
	movq 8(%rsp), %r9
	syscall
	ret
	.cfi_endproc
	.size raw_syscall, .-raw_syscall

	.hidden raw_clone_thread
	.globl raw_clone_thread
	.type raw_clone_thread, @function
raw_clone_thread: /* rdi: struct raw_thread (its offsets below), rax: SYS_clone3, rsi: its size, r9: where to go on */
	.cfi_startproc
0:	syscall
	testq %rax, %rax
	js 2f
	jnz 1f
	leaq 96(%rdi), %rdi
	xorl %esi, %esi
	movl $131, %eax /* sigaltstack */
	syscall
	xorl %eax, %eax
1:	jmp *%r9
2:	cmpq $-17, %rax /* EEXIST: the last thread of this number has been joined, and is not quite gone */
	jne 3f
	decl 120(%rdi)
	js 3f
	movl $24, %eax /* sched_yield */
	syscall
	movl $435, %eax /* clone3 */
	jmp 0b
3:	andq $-16, %rsp
	call *88(%rdi)
	ud2
	.cfi_endproc
raw_syscall_end:
	.size raw_clone_thread, .-raw_clone_thread
	.section .note.GNU-stack,"",@progbits
