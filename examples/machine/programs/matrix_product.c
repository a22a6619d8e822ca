/* C = A B with a row at every terminal: each broadcasts its row of B in turn. */
#include "machine.h"

#if MAILBOX_TERMINALS > MAILBOX_PACKET_LIMIT
#error "a row must fit into a packet"
#endif

static uint32_t own[RANKS], row[RANKS], product[RANKS];

void program(void) {
  for (uint32_t j = 0; j < RANKS; j++) own[j] = value(box.rank, j);
  uint32_t start = cycles();
  for (uint32_t k = 0; k < RANKS; k++) {
    if (k == box.rank)
      for (uint32_t j = 0; j < RANKS; j++) row[j] = value(box.rank, RANKS + j);
    check(mailbox_broadcast(&box, 0, mailbox_node_of(k), row, RANKS), "broadcast");
    for (uint32_t j = 0; j < RANKS; j++) product[j] += own[k] * row[j];
  }
  if (box.rank == 0) {
    print_number(cycles() - start);
    print(" cycles\n");
  }
  for (uint32_t j = 0; j < RANKS; j++) report(product[j]);
}
