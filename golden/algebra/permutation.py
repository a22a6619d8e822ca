"""Permutations and their numbers (super-rotator-1996, Section II: the mixed radix i!)."""

from math import factorial

import numpy as np

from fingerpost.golden.arrays import IntArray


def number(labels: IntArray) -> IntArray:
    """Return the vertex number of every permutation: the sum of d_i * i!.

    `labels` is (..., n), `d_i` the number of letters before letter i that are smaller.
    """
    n = labels.shape[-1]
    total = np.zeros(labels.shape[:-1], np.int64)
    for i in range(1, n):
        total += (labels[..., :i] < labels[..., i : i + 1]).sum(axis=-1) * factorial(i)
    return total


def permutations(numbers: IntArray, n: int) -> IntArray:
    """Return the permutations of 1..n with these vertex numbers; shape (..., n)."""
    rest = np.asarray(numbers, np.int64).copy()
    labels = np.zeros((*rest.shape, n), np.int64)
    # Letter i has d_i smaller ones before it: those from d_i + 1 up make room for it.
    for i in range(n):
        d = rest // factorial(i) % (i + 1)
        labels[..., :i] += labels[..., :i] > d[..., None]
        labels[..., i] = d + 1
    return labels
