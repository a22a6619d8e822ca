"""`fingerpost survey`: dense networks of many sizes, beside the networks that are known."""
