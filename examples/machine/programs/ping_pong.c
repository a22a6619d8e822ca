/* The first and the last terminal send words there and back: one, a longest packet, and WORDS; by rings
   of descriptors if mailboxes have them, and REGISTERS is not defined. */
#include "machine.h"

#ifndef ROUNDS
#define ROUNDS 10
#endif
#ifndef WORDS
#define WORDS 256 /* 1 KB */
#endif

static uint32_t words[WORDS > MAILBOX_PACKET_LIMIT ? WORDS : MAILBOX_PACKET_LIMIT];

static unsigned least(unsigned one, unsigned other) { return one < other ? one : other; }

#if defined(MAILBOX_DESCRIPTORS) && !defined(REGISTERS)
static mailbox_descriptor_t rings[2][MAILBOX_DESCRIPTORS]
    __attribute__((aligned(sizeof(mailbox_descriptor_t) * MAILBOX_DESCRIPTORS)));

static void start(void) { check(mailbox_rings(&box, 0, rings[0], rings[1]), "rings"); }

static void give(uint32_t peer, unsigned count) {
  for (unsigned at = 0; at < count;) {
    unsigned part = least(count - at, MAILBOX_PACKET_LIMIT);
    int done = mailbox_try_post(&box, 0, mailbox_node_of(peer), words + at, part);
    if (done == MAILBOX_AGAIN) continue;
    check(done, "post");
    at += part;
  }
  while (check(mailbox_unsent(&box, 0), "unsent")) continue;
}

static void take(uint32_t peer, unsigned count) {
  (void)peer;
  for (unsigned at = 0, got = 0; got < count;) {
    uint32_t *into;
    if (at < count) {
      unsigned part = least(count - at, MAILBOX_PACKET_LIMIT);
      int done = mailbox_try_provide(&box, 0, words + at, part);
      if (done != MAILBOX_AGAIN) check(done, "provide");
      if (done == MAILBOX_OK) at += part;
    }
    int done = mailbox_try_fetch(&box, 0, 0, &into);
    if (done != MAILBOX_AGAIN) got += (unsigned)check(done, "fetch");
  }
}
#else
static void start(void) {}

static void give(uint32_t peer, unsigned count) {
  for (unsigned at = 0; at < count; at += MAILBOX_PACKET_LIMIT)
    send(peer, words + at, least(count - at, MAILBOX_PACKET_LIMIT));
}

static void take(uint32_t peer, unsigned count) {
  for (unsigned at = 0; at < count; at += MAILBOX_PACKET_LIMIT)
    receive_from(peer, words + at, least(count - at, MAILBOX_PACKET_LIMIT));
}
#endif

static void play(unsigned count) {
  uint32_t first = box.rank == 0, peer = first ? RANKS - 1 : 0;
  for (unsigned i = 0; i < count; i++) words[i] = first ? value(count, i) : 0;
  uint32_t begin = cycles();
  for (unsigned round = 0; round < ROUNDS; round++) {
    if (first) give(peer, count);
    take(peer, count);
    words[round % count] += 1;
    if (!first) give(peer, count);
  }
  if (first) {
    print_number((cycles() - begin) / ROUNDS);
    print(" cycles for ");
    print_number(count);
    print(" words, there and back\n");
  }
  for (unsigned i = 0; i < count; i++) report(words[i]);
}

void program(void) {
  if (box.rank != 0 && box.rank != RANKS - 1) return;
  mailbox_enable(&box, 1);
  start();
  play(1);
  play(MAILBOX_PACKET_LIMIT);
  play(WORDS);
}
