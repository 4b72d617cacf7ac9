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
raw_syscall_end:
	.size raw_syscall, .-raw_syscall
	.section .note.GNU-stack,"",@progbits
