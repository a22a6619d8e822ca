// The cycles of a network: nodes step from one row of words to the next, and what is seen of them
// is compared with what is expected.
#include "lock_step.h"

#include <cstring>
#include <utility>

struct Kind {
    Step step;
    void* nodes;
    const uint32_t* from;
    Word out;  // where the outputs of the first node are; those of the others follow
};

// Words that are made of pieces: word i of pieces start[i] to start[i + 1].
struct Made {
    Word words;
    const uint32_t* start;
    const Piece* pieces;

    Word at(const Word* now, Word i) const {
        return joined(now, pieces + start[i], pieces + start[i + 1]);
    }
};

// Rows of what is seen. If no bit of `valid` is expected in a row, the bits of `idle` may be any.
struct Group {
    Word rows, width;
    const Word *valid, *idle;
};

struct Network {
    Word *now, *next;
    Word kinds;
    const Kind* kind;
    Word given_at, given_words;
    Word made_at;
    Made made;  // inputs that come from several places
    Made seen;
    Word groups;
    const Group* group;
    Word watched;  // inputs of a node that are kept, so many words a cycle
    const uint32_t* watch;
};

namespace {

bool differs(const Network& network, const Word* expected) {
    Word word = 0;
    for (const Group* group = network.group; group != network.group + network.groups; ++group)
        for (Word row = 0; row < group->rows; ++row, word += group->width) {
            Word wrong = 0, busy = 0, matters = 0;
            for (Word i = 0; i < group->width; ++i) {
                const Word difference =
                    network.seen.at(network.now, word + i) ^ expected[word + i];
                wrong |= difference;
                busy |= expected[word + i] & group->valid[i];
                matters |= difference & ~group->idle[i];
            }
            if (wrong && (busy || matters)) return true;
        }
    return false;
}

// What nodes are given in a cycle: some words, and what is made of others.
void give(Network& network, const Word* given) {
    std::memcpy(network.now + network.given_at, given, network.given_words * sizeof(Word));
    for (Word i = 0; i < network.made.words; ++i)
        network.now[network.made_at + i] = network.made.at(network.now, i);
}

void step(Network& network) {
    for (const Kind* kind = network.kind; kind != network.kind + network.kinds; ++kind)
        kind->step(kind->nodes, network.now, network.next + kind->out, kind->from);
    std::swap(network.now, network.next);
}

}  // namespace

// Goes through cycles until one in which something differs; returns how many there were. What was
// seen then is in `seen`. Without `expected` nothing is compared.
extern "C" Word run(Network* given_network, Word cycles, const Word* given, const Word* expected,
                    Word* seen, Word* kept) {
    Network& network = *given_network;
    for (Word cycle = 0; cycle < cycles; ++cycle) {
        give(network, given + cycle * network.given_words);
        if (expected && differs(network, expected + cycle * network.seen.words)) {
            for (Word i = 0; i < network.seen.words; ++i)
                seen[i] = network.seen.at(network.now, i);
            return cycle;
        }
        for (Word i = 0; i < network.watched; ++i)
            *kept++ = taken(network.now, network.watch[i]);
        step(network);
    }
    return cycles;
}

// Goes through cycles, and keeps which rows of the first group are valid: the number of the cycle,
// that of the row, and its words. Returns how many rows were kept, for which there must be room;
// what is seen after the last cycle is in `seen`.
extern "C" Word record(Network* given_network, Word cycles, const Word* given, Word* seen,
                       Word* kept) {
    Network& network = *given_network;
    const Group& group = *network.group;
    Word found = 0;
    for (Word cycle = 0; cycle < cycles; ++cycle) {
        for (Word row = 0; row < group.rows; ++row) {
            bool valid = false;
            for (Word i = 0; i < group.width; ++i) {
                kept[2 + i] = network.seen.at(network.now, row * group.width + i);
                valid |= (kept[2 + i] & group.valid[i]) != 0;
            }
            if (!valid) continue;
            kept[0] = cycle;
            kept[1] = row;
            kept += 2 + group.width;
            ++found;
        }
        give(network, given + cycle * network.given_words);
        step(network);
    }
    for (Word i = 0; i < network.seen.words; ++i) seen[i] = network.seen.at(network.now, i);
    return found;
}
