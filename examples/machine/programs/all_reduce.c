/* The sum of the words of all terminals, place by place; then a barrier and the least of all. */
#include "machine.h"

enum { COUNT = MAILBOX_PACKET_LIMIT < 8 ? MAILBOX_PACKET_LIMIT : 8 };

static uint32_t sum(uint32_t one, uint32_t other) { return one + other; }

static uint32_t least(uint32_t one, uint32_t other) { return one < other ? one : other; }

void program(void) {
  uint32_t words[COUNT];
  for (unsigned i = 0; i < COUNT; i++) words[i] = value(box.rank, i);
  uint32_t start = cycles();
  check(mailbox_all_reduce(&box, 0, words, COUNT, sum), "all_reduce");
  uint32_t reduced = cycles();
  check(mailbox_barrier(&box, 0), "barrier");
  if (box.rank == 0) {
    print_number(reduced - start);
    print(" cycles for the sum, ");
    print_number(cycles() - reduced);
    print(" for a barrier\n");
  }
  for (unsigned i = 0; i < COUNT; i++) report(words[i]);
  uint32_t word = value(box.rank, COUNT);
  check(mailbox_all_reduce(&box, 0, &word, 1, least), "all_reduce");
  report(word);
}
