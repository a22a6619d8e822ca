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
  long cycle = 0, idle = 0;
  const char *end = "cycles";
  for (; cycle < most; cycle++) {
    machine.rst = cycle < 4;
    machine.clk = 0;
    machine.eval();
    machine.clk = 1;
    machine.eval();
    idle = machine.active ? 0 : idle + 1;
    if (cycle > 4 && machine.finished) {
      end = "finished";
      break;
    }
    if (idle > patience) {
      end = "locked";
      break;
    }
  }
  machine.final();
  printf("end %s %ld %u\n", end, cycle - idle, (unsigned)machine.counters);
  return 0;
}
