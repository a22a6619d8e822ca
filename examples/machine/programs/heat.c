/* The heat equation on a ring of all terminals, in fixed point: cells at the ends are exchanged in
   every step, and all are gathered at the first terminal at last. */
#include "machine.h"

#ifndef STEPS
#define STEPS 20
#endif
enum { CELLS = MAILBOX_PACKET_LIMIT < 8 ? MAILBOX_PACKET_LIMIT : 8 };

static uint32_t kept[64], all[RANKS * CELLS];

void program(void) {
  uint32_t cells[CELLS + 2], next[CELLS + 2];
  uint32_t left = (box.rank + RANKS - 1) % RANKS, right = (box.rank + 1) % RANKS;
  mailbox_keep(&box, kept, 64);
  for (uint32_t i = 1; i <= CELLS; i++) cells[i] = value(box.rank, i) >> 8;
  uint32_t start = cycles();
  for (unsigned step = 0; step < STEPS; step++) {
    send(left, &cells[1], 1);
    send(right, &cells[CELLS], 1);
    /* In a ring of two both come from the same terminal, in the order of sending. */
    receive_from(right, &cells[CELLS + 1], 1);
    receive_from(left, &cells[0], 1);
    for (uint32_t i = 1; i <= CELLS; i++)
      next[i] = (cells[i - 1] + 2 * cells[i] + cells[i + 1]) >> 2;
    for (uint32_t i = 1; i <= CELLS; i++) cells[i] = next[i];
  }
  if (box.rank == 0) {
    print_number((cycles() - start) / STEPS);
    print(" cycles for a step\n");
  }
  check(mailbox_barrier(&box, 0), "barrier");
  check(mailbox_gather(&box, 0, mailbox_node_of(0), &cells[1], CELLS, all), "gather");
  for (uint32_t i = 1; i <= CELLS; i++) report(cells[i]);
  for (uint32_t i = 0; i < RANKS * CELLS && box.rank == 0; i++) report(all[i]);
}
