// What nodes and the network agree on. A net is a row of words; `now` has those of a cycle.
#pragma once
#include <cstdint>

using Word = uint64_t;

// Where an input comes from: the number of a word, and above which of its bits.
inline Word taken(const Word* now, uint32_t from) { return now[from >> 6] >> (from & 63); }

// Some bits of several words, no more than a word has.
inline Word bits(const Word* words, Word first, Word width) {
    const Word low = words[first >> 6] >> (first & 63);
    const bool across = (first & 63) + width > 64;
    return (across ? low | words[(first >> 6) + 1] << (64 - (first & 63)) : low) &
           ~Word{0} >> (64 - width);
}

// Some bits of a word, and where they go.
struct Piece {
    uint32_t from;
    uint8_t right, left, width, unused;
};

inline Word joined(const Word* now, const Piece* piece, const Piece* end) {
    Word all = 0;
    for (; piece != end; ++piece)
        all |= (now[piece->from] >> piece->right & ~Word{0} >> (64 - piece->width)) << piece->left;
    return all;
}

// A clock cycle of nodes of a kind: from what is there now to the registers behind the edge.
using Step = void (*)(void* nodes, const Word* now, Word* next, const uint32_t* from);
