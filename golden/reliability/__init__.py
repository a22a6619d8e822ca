"""Survival reliability (Hwang & Wright): whether survivors of failures reach one another.

Nodes and links fail independently. A network survives if two or more nodes do, and they are
strongly connected through working links (as in Theorem 2.1, which leaves out a single survivor).
"""
