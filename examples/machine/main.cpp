// Runs the machine until every node has ended, or none has moved or reported a word for a long time.
#include <cstdio>
#include <cstdlib>

#include "Vmachine.h"
#include "verilated.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const long most = atol(argv[1]), patience = atol(argv[2]);
  VerilatedContext context;
  Vmachine machine(&context);
  long cycle = 0, last = 0;
  const char *end = "cycles";
  for (; cycle < most; cycle++) {
    machine.rst = cycle < 4;
    machine.clk = 0;
    machine.eval();
    machine.clk = 1;
    machine.eval();
    if (machine.active) last = cycle;
    if (cycle > 4 && machine.finished) {
      end = "finished";
      break;
    }
    if (cycle - last > patience) {
      end = "locked";
      break;
    }
  }
  machine.final();
  printf("end %s %ld %u\n", end, last, (unsigned)machine.counters);
  return 0;
}
