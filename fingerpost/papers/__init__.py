"""The papers, table by table: what is printed beside what fingerpost computes."""
