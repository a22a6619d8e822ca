// Nodes of a kind side by side: a bit of the netlist is a vector, with one bit for each node.
#pragma once
#include "lock_step.h"

#include <memory>
#include <type_traits>
#include <vector>

constexpr unsigned BLOCK = 64;   // nodes whose bits are in one word
constexpr unsigned BLOCKS = 8;   // words of a vector
constexpr unsigned COPIES = BLOCK * BLOCKS;

typedef Word Vector __attribute__((vector_size(8 * BLOCKS), aligned(8 * BLOCKS)));

// A function of three bits: bit 4a + 2b + c of `truth` is its value.
template <unsigned truth>
inline Vector lut(Vector a, Vector b, Vector c) {
#ifdef __AVX512F__
    typedef long long Register __attribute__((vector_size(64)));
    return (Vector)__builtin_ia32_pternlogq512_mask((Register)a, (Register)b, (Register)c, truth,
                                                    (unsigned char)-1);
#else
    Vector value = {};
    if (truth & 1) value |= ~a & ~b & ~c;
    if (truth & 2) value |= ~a & ~b & c;
    if (truth & 4) value |= ~a & b & ~c;
    if (truth & 8) value |= ~a & b & c;
    if (truth & 16) value |= a & ~b & ~c;
    if (truth & 32) value |= a & ~b & c;
    if (truth & 64) value |= a & b & ~c;
    if (truth & 128) value |= a & b & c;
    return value;
#endif
}

// Rows of 64 bits, eight to a vector.
struct Square {
    union {
        Word row[BLOCK];
        Vector part[BLOCK / BLOCKS];
    };

    // Bit i of row j becomes bit j of row i: blocks of 32 x 32, 16 x 16, ... bits change places.
    void transpose() {
        across<4>();
        across<2>();
        across<1>();
        within<4>();
        within<2>();
        within<1>();
    }

private:
    template <unsigned distance>
    void across() {
        constexpr unsigned width = BLOCKS * distance;
        constexpr Word low = ~Word{0} / ((Word{1} << width) + 1);
#pragma GCC unroll 8
        for (unsigned i = 0; i < BLOCKS; ++i)
            if (!(i & distance)) {
                const Vector moved = (part[i] >> width ^ part[i + distance]) & low;
                part[i] ^= moved << width;
                part[i + distance] ^= moved;
            }
    }

    template <unsigned distance>
    void within() {
        constexpr Word low = ~Word{0} / ((Word{1} << distance) + 1);
        const Vector number = {0, 1, 2, 3, 4, 5, 6, 7};
        const Vector upper = (Vector)((number & distance) != 0), kept = upper ^ low;
        const Vector left = ~upper & distance, right = upper & distance;
#pragma GCC unroll 8
        for (unsigned i = 0; i < BLOCKS; ++i) {
            const Vector other = __builtin_shuffle(part[i], number ^ distance);
            part[i] = (part[i] & kept) | ((other << left >> right) & ~kept);
        }
    }
};

// Some bits of the nodes of a block, the first of them lowest, as a word for each node.
inline void gather(Square& square, const Vector* bits, unsigned count, unsigned block) {
    for (unsigned i = 0; i < count; ++i) square.row[i] = bits[i][block];
    for (unsigned i = count; i < BLOCK; ++i) square.row[i] = 0;
    square.transpose();
}

inline void scatter(Square& square, Vector* bits, unsigned count, unsigned block) {
    square.transpose();
    for (unsigned i = 0; i < count; ++i) bits[i][block] = square.row[i];
}

// A memory of each node, or one for all that only read it.
template <unsigned SIZE, unsigned WIDTH, bool SHARED>
struct Memory {
    static constexpr unsigned PIECES = (WIDTH + 63) / 64;
    using Piece = std::conditional_t<
        WIDTH <= 8, uint8_t,
        std::conditional_t<WIDTH <= 16, uint16_t,
                           std::conditional_t<WIDTH <= 32, uint32_t, Word>>>;
    std::vector<Piece> entries = std::vector<Piece>(Word{SIZE} * PIECES * (SHARED ? 1 : COPIES));

    static constexpr unsigned width_of(unsigned piece) {
        return WIDTH - 64 * piece < 64 ? WIDTH - 64 * piece : 64;
    }

    Piece* entry(unsigned copy, Word address) {
        return &entries[((SHARED ? 0 : Word{copy} * SIZE) + address) * PIECES];
    }

    void fill(unsigned copy, const Word* contents) {
        for (Word i = 0; i < SIZE; ++i)
            for (unsigned piece = 0; piece < PIECES; ++piece)
                entry(copy, i)[piece] = bits(contents, i * WIDTH + 64 * piece, width_of(piece));
    }

    template <unsigned BITS>
    void read(unsigned blocks, const Vector (&address)[BITS], Vector (&data)[WIDTH]) {
        Square asked, found[PIECES];
        for (unsigned block = 0; block < blocks; ++block) {
            gather(asked, address, BITS, block);
            for (unsigned i = 0; i < BLOCK; ++i) {
                const bool inside = asked.row[i] < SIZE;
                const Piece* at = entry(BLOCK * block + i, inside ? asked.row[i] : 0);
                for (unsigned piece = 0; piece < PIECES; ++piece)
                    found[piece].row[i] = inside ? at[piece] : 0;
            }
            for (unsigned piece = 0; piece < PIECES; ++piece)
                scatter(found[piece], data + 64 * piece, width_of(piece), block);
        }
    }

    template <unsigned BITS>
    void write(unsigned blocks, const Vector (&address)[BITS], const Vector (&data)[WIDTH],
               Vector enable) {
        write(blocks, address, data, enable, nullptr);
    }

    template <unsigned BITS>
    void write(unsigned blocks, const Vector (&address)[BITS], const Vector (&data)[WIDTH],
               const Vector (&enable)[WIDTH]) {
        Vector any = {};
        for (const Vector& each : enable) any |= each;
        write(blocks, address, data, any, enable);
    }

private:
    // Without `mask` all bits of an entry are written.
    template <unsigned BITS>
    void write(unsigned blocks, const Vector (&address)[BITS], const Vector (&data)[WIDTH],
               Vector enable, const Vector* mask) {
        Square asked, given[PIECES], kept[PIECES];
        for (unsigned block = 0; block < blocks; ++block) {
            Word writes = enable[block];
            if (!writes) continue;
            gather(asked, address, BITS, block);
            for (unsigned piece = 0; piece < PIECES; ++piece) {
                gather(given[piece], data + 64 * piece, width_of(piece), block);
                if (mask) gather(kept[piece], mask + 64 * piece, width_of(piece), block);
            }
            for (; writes; writes &= writes - 1) {
                const unsigned i = __builtin_ctzll(writes);
                if (asked.row[i] >= SIZE) continue;
                Piece* at = entry(BLOCK * block + i, asked.row[i]);
                for (unsigned piece = 0; piece < PIECES; ++piece) {
                    const Piece all = mask ? kept[piece].row[i] : ~Word{0};
                    at[piece] = (at[piece] & ~all) | (given[piece].row[i] & all);
                }
            }
        }
    }
};
