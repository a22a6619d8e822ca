/* Every core stores into the memories of all others and loads from them, and copies the memory of one into
   that of another. */
#include "machine.h"

#ifndef WORDS
#define WORDS 64
#endif

static volatile uint32_t letters[RANKS], block[WORDS], copy[WORDS];
static volatile uint8_t bytes[RANKS];

void program(void) {
  uint32_t rank = my_rank(), next = (rank + 1) % RANKS;
  for (unsigned i = 0; i < WORDS; i++) block[i] = value(rank, i);
  barrier();

  for (uint32_t r = 0; r < RANKS; r++) {
    *REMOTE(r, letters[rank]) = value(rank, r);
    *REMOTE(r, bytes[rank]) = (uint8_t)value(rank, r);
  }
  barrier();
  for (uint32_t r = 0; r < RANKS; r++) report(letters[r] + bytes[r]); /* to me */
  for (uint32_t r = 0; r < RANKS; r++) report(*REMOTE(r, letters[next])); /* from the next */

  uint32_t start = cycles();
  for (unsigned i = 0; i < WORDS; i++)
    *REMOTE((rank + 2) % RANKS, copy[i]) = *REMOTE(next, block[i]);
  uint32_t took = cycles() - start;
  barrier();
  for (unsigned i = 0; i < WORDS; i++) report(copy[i]);
  if (rank == 0) {
    print_number(took);
    print(" cycles for ");
    print_number(WORDS);
    print(" words from memory to memory\n");
  }
}
