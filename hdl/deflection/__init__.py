"""The deflection router and what stands around it; the twin of golden.deflection."""
