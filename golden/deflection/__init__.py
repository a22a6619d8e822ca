"""What a deflection router is made of: switches, productive ports, the pairing of ports."""
