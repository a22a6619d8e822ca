// Nodes of a kind: their inputs are taken from words, their outputs put into words.
#include "Vnode.h"
#include "Vnode___024root.h"
#include "lock_step.h"
#ifdef TRACED
#include "verilated_vcd_c.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

#include <memory>
#include <vector>

struct Nodes {
    VerilatedContext context;
    std::vector<std::unique_ptr<Vnode>> models;
#ifdef TRACED
    VerilatedVcdC waveform;
#endif
};

extern "C" void* create(Word count) {
    auto* nodes = new Nodes;
#ifdef TRACED
    nodes->context.traceEverOn(true);
#endif
    for (Word i = 0; i < count; ++i)
        nodes->models.push_back(std::make_unique<Vnode>(&nodes->context, "node"));
    return nodes;
}

// Constants of a node, those of the inputs that are ${constants}; then it is as at power-up, and has
// its own in its memories.
extern "C" void keep(void* all, Word node, const Word* now) {
    Vnode___024root& root = *static_cast<Nodes*>(all)->models[node]->rootp;
${kept}    root.${clock} = 0;
    static_cast<Nodes*>(all)->models[node]->eval();
${filled}}

extern "C" void step(void* all, const Word* now, Word* next, const uint32_t* from) {
    for (auto& model : static_cast<Nodes*>(all)->models) {
        Vnode___024root& root = *model->rootp;
${taken}        root.${clock} = 1;
        model->eval();
        ${down}
${given}        from += ${inputs};
        next += ${outputs};
    }
}

extern "C" void destroy(void* all) { delete static_cast<Nodes*>(all); }

#if VM_COVERAGE
extern "C" void cover(void* all, const char* file) {
    static_cast<Nodes*>(all)->context.coveragep()->write(file);
}
#endif

#ifdef TRACED
extern "C" void replay(void* all, const char* file, Word cycles, const Word* now) {
    Nodes& nodes = *static_cast<Nodes*>(all);
    Vnode& model = *nodes.models[0];
    Vnode___024root& root = *model.rootp;
    model.trace(&nodes.waveform, 99);
    nodes.waveform.open(file);
    for (Word cycle = 0; cycle < cycles; ++cycle) {
${replayed}        root.${clock} = 0;
        model.eval();
        nodes.waveform.dump(2 * cycle);
        root.${clock} = 1;
        model.eval();
        nodes.waveform.dump(2 * cycle + 1);
        now += ${watched};
    }
    nodes.waveform.close();
}
#endif
