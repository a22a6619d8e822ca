/* What a program of the machine has: its mailbox or the memories of all, a console, and words that the
   host knows as well. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "network.h"

#ifdef MAILBOX_TERMINALS
#define RANKS MAILBOX_TERMINALS
#define REQUESTS_CLASS 0u
#define REPLIES_CLASS (MAILBOX_CLASSES - 1u)

extern mailbox_t box;

/* Send to and receive from a rank in class 0; wait for it. */
void send(uint32_t rank, const uint32_t *words, unsigned count);
void receive_from(uint32_t rank, uint32_t *words, unsigned count);
#else
/* A static variable of this program as another rank has it: all have it at the same address. */
#define REMOTE(rank, variable) \
  ((volatile __typeof__(variable) *)(MEMORY_OF(rank) + (uintptr_t)&(variable)))

/* Wait until all have come here; what they had stored before is in memory. */
void barrier(void);
#endif

/* The program: it runs at every terminal, which this number, less than RANKS, tells apart. */
void program(void);
uint32_t my_rank(void);

void print(const char *text);
void print_number(uint32_t number);

/* Give a word to the host, which has computed what it must be. */
void report(uint32_t word);

/* Cycles since the reset. */
uint32_t cycles(void);

/* Any word of a terminal; the host computes the same. */
uint32_t value(uint32_t rank, uint32_t index);

/* End with a message if a function of the driver has failed; else return what it did. */
int check(int done, const char *what);

#endif
