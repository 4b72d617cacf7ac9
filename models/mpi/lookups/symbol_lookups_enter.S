/* dlsym (symbol_lookups.c). What the system's one finds may depend on who calls it (RTLD_NEXT), so that it is jumped to. */
	.text
	.hidden symbol_lookups_find
	.hidden symbol_lookups_real
	.globl dlsym
	.type dlsym, @function
dlsym:
	.cfi_startproc
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	pushq %rsi
	.cfi_adjust_cfa_offset 8
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	movq %rsi, %rdi
	call symbol_lookups_find
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %rsi
	.cfi_adjust_cfa_offset -8
	popq %rdi
	.cfi_adjust_cfa_offset -8
	testq %rax, %rax
	jne 1f
	jmp *symbol_lookups_real(%rip)
1:
	ret
	.cfi_endproc
	.size dlsym, . - dlsym

	.section .note.GNU-stack, "", @progbits
