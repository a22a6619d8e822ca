# The first instructions: clear what is to be 0, run the program, tell that it has ended.
    .section .start, "ax"
    .globl _start
_start:
#ifndef __riscv_mul // PicoRV32 has a stack after reset
    la sp, stack_end
#endif
    la t0, bss_start
    la t1, bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call machine_start
3:  j 3b
