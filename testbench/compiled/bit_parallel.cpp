// Nodes of a kind, side by side.
#include "bit_parallel.h"

static const uint32_t PLACE[] = {${places}};  // of the bits of constants in their words

struct Group {
    unsigned blocks;
    Vector state[2][${state}] = {}, fixed[${fixed}] = {};
    Vector in[${square} * ${inside}] = {}, out[${square} * ${outside}] = {};
${memories}};

// From registers and inputs to the registers behind the clock edge, and to outputs that are late.
static void advance(Group& group, const Vector* __restrict now, Vector* __restrict next) {
    const Vector zero = {}, one = ~zero;
    const Vector *__restrict fixed = group.fixed, *__restrict in = group.in;
    Vector* __restrict out = group.out;
${advance}}

// From registers to the other outputs.
static void show(Group& group, const Vector* __restrict now) {
    const Vector zero = {}, one = ~zero;
    const Vector* __restrict fixed = group.fixed;
    Vector* __restrict out = group.out;
${show}}

struct Nodes {
    Word count;
    bool odd = false;
    std::vector<std::unique_ptr<Group>> groups;
};

extern "C" void* create(Word count) {
    auto* nodes = new Nodes{count};
    for (Word first = 0; first < count; first += COPIES) {
        const Word some = count - first < COPIES ? count - first : COPIES;
        auto group = std::make_unique<Group>();
        group->blocks = (some + BLOCK - 1) / BLOCK;
        Vector* state = group->state[0];
        const Vector zero = {}, one = ~zero;
${initial}        nodes->groups.push_back(std::move(group));
    }
    return nodes;
}

// Constants of a node, those of the inputs that are ${constants}, and what is in its memories.
extern "C" void keep(void* all, Word node, const Word* now) {
    Group& group = *static_cast<Nodes*>(all)->groups[node / COPIES];
    const unsigned copy = node % COPIES;
    const Word bit = Word{1} << copy % BLOCK;
    for (Word i = 0; i < ${constant_bits}; ++i)
        if (taken(now, PLACE[i]) & 1) group.fixed[i][copy / BLOCK] |= bit;
${filled}}

extern "C" void step(void* all, const Word* now, Word* next, const uint32_t* from) {
    Nodes& nodes = *static_cast<Nodes*>(all);
    Word left = nodes.count;
    for (auto& each : nodes.groups) {
        Group& group = *each;
        const Word some = left < COPIES ? left : COPIES;
        left -= some;
        for (unsigned block = 0; block < group.blocks; ++block) {
            Square square[${inside}] = {};
            for (Word i = 0; i < BLOCK && BLOCK * block + i < some; ++i, from += ${inputs}) {
${taken}            }
${scattered}        }
        const Vector* before = group.state[nodes.odd];
        Vector* after = group.state[!nodes.odd];
        advance(group, before, after);
        show(group, after);
        for (unsigned block = 0; block < group.blocks; ++block) {
            Square square[${outside}];
${gathered}            for (Word i = 0; i < BLOCK && BLOCK * block + i < some; ++i, next += ${outputs}) {
${given}            }
        }
    }
    nodes.odd = !nodes.odd;
}

extern "C" void destroy(void* all) { delete static_cast<Nodes*>(all); }
