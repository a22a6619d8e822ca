/* Every terminal asks every other one for REQUESTS words, and serves what it is asked, with little
   memory: one reply at a time, and no further request until that is sent. It always takes replies,
   if they have a class of their own; with one class they wait behind requests, and all may lock. */
#include "machine.h"

#if MAILBOX_PACKET_LIMIT < 2
#error "a request has two words"
#endif
#ifndef REQUESTS
#define REQUESTS 20
#endif
enum { COUNT = MAILBOX_PACKET_LIMIT < 4 ? MAILBOX_PACKET_LIMIT : 4, REQUEST = 0, REPLY = 1 };

static uint32_t answers[RANKS][REQUESTS], asked[RANKS], answered, served;
static uint32_t reply[COUNT];
static unsigned reply_to, has_reply;

static void take(unsigned message_class) {
  uint32_t words[COUNT];
  unsigned from;
  int count = mailbox_try_receive(&box, message_class, &from, words, COUNT);
  if (count == MAILBOX_AGAIN) return;
  check(count, "receive");
  uint32_t kind = words[0] >> 31, index = words[0] & 0xffff;
  if (kind == REPLY) {
    answers[mailbox_rank_of(from)][index] = words[COUNT - 1];
    answered++;
  } else {
    reply[0] = (uint32_t)REPLY << 31 | index;
    reply[COUNT - 1] = value(box.rank, index) ^ words[COUNT - 1];
    reply_to = from;
    has_reply = 1;
  }
}

void program(void) {
  uint32_t words[COUNT], to = (box.rank + 1) % RANKS, start = cycles();
  const uint32_t every = (RANKS - 1) * REQUESTS;
  uint32_t sent = 0;
  for (unsigned i = 0; i < COUNT; i++) words[i] = 0;
  while (answered < every || served < every || has_reply) {
    if (REPLIES_CLASS != REQUESTS_CLASS) take(REPLIES_CLASS);
    if (has_reply) {
      int done = mailbox_try_send(&box, REPLIES_CLASS, reply_to, reply, COUNT);
      if (done == MAILBOX_AGAIN) continue;
      check(done, "reply");
      has_reply = 0;
      served++;
    }
    take(REQUESTS_CLASS);
    if (sent < every) {
      words[0] = (uint32_t)REQUEST << 31 | asked[to];
      words[COUNT - 1] = value(box.rank, asked[to] + to);
      int done = mailbox_try_send(&box, REQUESTS_CLASS, mailbox_node_of(to), words, COUNT);
      if (done == MAILBOX_AGAIN) continue;
      check(done, "request");
      asked[to]++;
      sent++;
      do
        to = (to + 1) % RANKS;
      while (to == box.rank);
    }
  }
  if (box.rank == 0) {
    print_number(cycles() - start);
    print(" cycles\n");
  }
  for (uint32_t rank = 0; rank < RANKS; rank++)
    for (unsigned i = 0; i < REQUESTS && rank != box.rank; i++) report(answers[rank][i]);
}
