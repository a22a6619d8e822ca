"""Links of the compiled model: wires, and OS-Links bit by bit; files are as those of hdl.link."""
