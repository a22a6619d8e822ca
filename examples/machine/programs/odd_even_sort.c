/* Every terminal has sorted keys; neighbours in rank merge theirs, one keeps the lower half. */
#include "machine.h"

enum { KEYS = MAILBOX_PACKET_LIMIT < 16 ? MAILBOX_PACKET_LIMIT : 16 };

static uint32_t kept[RANKS * (KEYS + 1)];

static void sort(uint32_t *keys) {
  for (int i = 1; i < KEYS; i++) {
    uint32_t key = keys[i];
    int j = i;
    for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

void program(void) {
  uint32_t keys[KEYS], other[KEYS], merged[KEYS];
  mailbox_keep(&box, kept, RANKS * (KEYS + 1));
  for (unsigned i = 0; i < KEYS; i++) keys[i] = value(box.rank, i);
  sort(keys);
  for (uint32_t phase = 0; phase < RANKS; phase++) {
    int lower = (box.rank + phase) % 2 == 0;
    if (lower ? box.rank + 1 == RANKS : box.rank == 0) continue;
    uint32_t peer = lower ? box.rank + 1 : box.rank - 1;
    send(peer, keys, KEYS);
    receive_from(peer, other, KEYS);
    for (int k = 0, i = lower ? 0 : KEYS - 1, j = i; k < KEYS; k++) {
      if (lower)
        merged[k] = keys[i] <= other[j] ? keys[i++] : other[j++];
      else
        merged[KEYS - 1 - k] = keys[i] >= other[j] ? keys[i--] : other[j--];
    }
    for (unsigned i = 0; i < KEYS; i++) keys[i] = merged[i];
  }
  for (unsigned i = 0; i < KEYS; i++) report(keys[i]);
}
