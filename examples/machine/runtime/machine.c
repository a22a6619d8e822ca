#include "machine.h"

#define CONSOLE ((volatile uint32_t *)0x80000000u)
enum { PRINT, REPORT, ERRORS, EXIT };
enum { CYCLE, RANK };

uint32_t my_rank(void) { return CONSOLE[RANK]; }

void print(const char *text) {
  while (*text) CONSOLE[PRINT] = (uint8_t)*text++;
}

void print_number(uint32_t number) {
  char digits[11];
  char *text = digits + 10;
  *text = 0;
  do {
    *--text = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  print(text);
}

void report(uint32_t word) { CONSOLE[REPORT] = word; }

uint32_t cycles(void) {
#ifdef __riscv_mul
  uint32_t now;
  __asm__ volatile("rdcycle %0" : "=r"(now));
  return now;
#else /* SERV does not count cycles */
  return CONSOLE[CYCLE];
#endif
}

uint32_t value(uint32_t rank, uint32_t index) {
  uint32_t x = rank * 2654435761u + index * 40503u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  return x ^ x >> 13;
}

static void end(uint32_t code) {
  CONSOLE[EXIT] = code;
  for (;;) continue;
}

int check(int done, const char *what) {
  if (done < 0) {
    print(what);
    print(" failed with -");
    print_number((uint32_t)-done);
    print("\n");
    end(1);
  }
  return done;
}

#ifdef MAILBOX_TERMINALS
mailbox_t box;

void send(uint32_t rank, const uint32_t *words, unsigned count) {
  check(mailbox_send(&box, 0, mailbox_node_of(rank), words, count), "send");
}

void receive_from(uint32_t rank, uint32_t *words, unsigned count) {
  int got = mailbox_receive_from(&box, 0, mailbox_node_of(rank), words, count);
  if (check(got, "receive_from") != (int)count) check(MAILBOX_LENGTH, "receive_from");
}

static void prepare(void) { check(mailbox_init(&box, (volatile void *)0x40000000u), "init"); }

static uint32_t errors(void) {
  uint32_t count = box.registers[MAILBOX_MISUSES / 4];
  for (unsigned c = 0; c < MAILBOX_CLASSES; c++) count += box.registers[MAILBOX_BAD(c) / 4];
  return count;
}
#else
static volatile uint32_t come[RANKS];

void barrier(void) {
  uint32_t rank = my_rank(), now = come[rank] + 1;
  for (uint32_t r = 0; r < RANKS; r++) *REMOTE(r, come[rank]) = now;
  for (uint32_t r = 0; r < RANKS; r++)
    while (come[r] < now) continue;
}

static void prepare(void) {}
static uint32_t errors(void) { return 0; }
#endif

/* What the compiler may call. */
void *memcpy(void *to, const void *from, size_t count) {
  for (size_t i = 0; i < count; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}

void *memset(void *to, int byte, size_t count) {
  for (size_t i = 0; i < count; i++) ((char *)to)[i] = (char)byte;
  return to;
}

void machine_start(void);

void machine_start(void) {
  prepare();
  program();
  CONSOLE[ERRORS] = errors();
  end(0);
}
