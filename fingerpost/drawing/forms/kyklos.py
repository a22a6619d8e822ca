"""KYKLOS as in kyklos-1988, Figures 2 and 3: leaves in a row, a tree above and one below."""

import numpy as np

from fingerpost.drawing.form import Form
from fingerpost.golden.topology import Kyklos


def kyklos(topology: Kyklos) -> Form:
    """Place the nodes of each level by place; every further tree between the levels of others."""
    tree, level, leaf = topology.tree, topology.level, topology.level == 0
    x = (topology.place + 0.5) * float(topology.m) ** topology.level
    side = np.where(tree % 2 == 0, 1, -1)
    # Trees on one side: the levels of the later ones are a little higher, and shifted.
    later = np.where(leaf, 0, tree // 2)
    share = later / max(1, -(-topology.r // 2))
    step = max(1.0, topology.leaves / topology.n / 2.6)
    points = np.stack([x + 0.5 * share, side * (level + share) * step], axis=1)
    owner = np.where(leaf, 0, 1 + tree)
    kind = np.where(
        leaf[:, None], np.arange(topology.degree), np.broadcast_to(tree[:, None], (len(tree), 1))
    )
    return Form(
        points,
        texts=[topology.name(node) for node in range(topology.nodes)],
        colour=owner,
        colours=["leaf", *(f"node of tree {t}" for t in range(topology.r))],
        kind=kind,
        kinds=[f"tree {t}" for t in range(topology.r)],
        square=leaf,
    )
