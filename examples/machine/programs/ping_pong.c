/* The first and the last terminal send a packet there and back, of one word and of the longest. */
#include "machine.h"

#ifndef ROUNDS
#define ROUNDS 10
#endif

static void play(unsigned count) {
  static uint32_t words[MAILBOX_PACKET_LIMIT];
  uint32_t first = box.rank == 0, peer = first ? RANKS - 1 : 0;
  for (unsigned i = 0; i < count; i++) words[i] = value(0, i);
  uint32_t start = cycles();
  for (unsigned round = 0; round < ROUNDS; round++) {
    if (first) send(peer, words, count);
    receive_from(peer, words, count);
    if (!first) {
      for (unsigned i = 0; i < count; i++) words[i] += 1;
      send(peer, words, count);
    }
  }
  if (first) {
    print_number((cycles() - start) / ROUNDS);
    print(" cycles for a packet of ");
    print_number(count);
    print(" words, there and back\n");
  }
  for (unsigned i = 0; i < count; i++) report(words[i]);
}

void program(void) {
  if (box.rank != 0 && box.rank != RANKS - 1) return;
  mailbox_enable(&box, 1);
  play(1);
  play(MAILBOX_PACKET_LIMIT);
}
