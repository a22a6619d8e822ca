"""`fingerpost sweep`: latency and accepted load against offered load, of many networks."""
