/* Where a program goes on whose access to shared memory is a step of its own: what a call may change is kept here, on the program's own
 * stack, and given back to the processor after it:
 *
 *     sp:  struct trapped (shared_traps.c): what go_on_interrupted needs; …; extended
 *
 * What earlier calls have left below is zeroed, as where MPI's functions begin (caller.h). */
#define PARTS 0xe7
#define EXTENDED 256
#define ZEROED_WORDS 512

	.text
	.hidden go_on_interrupted
	.hidden shared_traps_enter
	.hidden shared_traps_run
	.globl shared_traps_enter
	.type shared_traps_enter, @function
shared_traps_enter:
	movq %rsp, %rbx
	cld
	leaq -(8 * ZEROED_WORDS)(%rsp), %rdi
	movl $ZEROED_WORDS, %ecx
	xorl %eax, %eax
	rep stosq
	movq %rbx, %rdi
	call shared_traps_run
	movq %rbx, %rsp
	movl $PARTS, %eax
	xorl %edx, %edx
	xrstor64 EXTENDED(%rsp)
	jmp go_on_interrupted
	.size shared_traps_enter, .-shared_traps_enter
	.section .note.GNU-stack,"",@progbits
