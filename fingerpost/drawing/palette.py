"""The colours of all pictures."""

__all__ = ["CLASSES", "FAILED", "GRID", "INK", "KINDS", "LINK", "LOADS", "PAPER", "PHASES", "SHADE"]

INK, LINK, PAPER, GRID = "#22303c", "#7f8e99", "#ffffff", "#dde2e6"

SHADE = "#f1f4f6"
"""Behind nodes that belong together."""

CLASSES = (  # light, so that the numbers stand out
    *("#8ecae6", "#ffd166", "#a8d5a2", "#f4acb7", "#cdb4db", "#f8ad6d"),
    *("#80cfc4", "#d9c9a3", "#b5c7f2", "#e6e07a", "#d0a99a", "#bfc8cc"),
)

PHASES = ("#d1495b", "#2a6fb0", "#3a8f5c", "#8a5fb0")

KINDS = ("#8796a1", "#c9a352", "#6fa58a", "#a78bbd", "#c08a76", "#7fa6c9", "#9aa15b", "#b9b2ab")
"""Of links: quieter than a route on top of them."""

FAILED = "#e36414"

LOADS = "#6a97c2", "#8161b4", "#b01a55", "#5f0a2b"
"""Between which the colours of loads are, from none to the greatest: ever darker, and the first is
still seen on paper."""
