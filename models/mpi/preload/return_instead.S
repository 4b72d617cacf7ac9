/* Where a call returns to whose error code an error handler has changed (caller_return.c): eax is what is returned then. What was
 * noted for it is zeroed, as no state may tell of it any more. */
	.text
	.hidden return_instead
	.globl return_instead
	.type return_instead, @function
return_instead:
	movl returning_instead+8(%rip), %eax
	movq returning_instead(%rip), %rdx
	movl $0, returning_instead+8(%rip)
	movq $0, returning_instead(%rip)
	jmp *%rdx
	.size return_instead, . - return_instead

	.section .note.GNU-stack, "", @progbits
