/* Where a program goes on whose system call sends itself a signal: runs the handlers as a call, and then has the processor as it was
 * after the system call. What a call may change is kept here, on the program's own stack:
 *
 *     sp:  struct interrupted (own_signals.c): what go_on_interrupted needs
 */
#define FLOATING_POINT_BYTES 512

	.text
	.hidden go_on_interrupted
	.hidden own_signals_enter
	.hidden own_signals_run
	.globl own_signals_enter
	.type own_signals_enter, @function
own_signals_enter:
	movq %rsp, %rbx
	subq $FLOATING_POINT_BYTES, %rsp
	fxsave64 (%rsp)
	cld
	movq %rbx, %rdi
	call own_signals_run
	fxrstor64 (%rsp)
	movq %rbx, %rsp
	jmp go_on_interrupted
	.size own_signals_enter, .-own_signals_enter
	.section .note.GNU-stack,"",@progbits
