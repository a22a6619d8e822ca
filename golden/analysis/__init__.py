"""What the papers compute about their networks: averages, traffic, theorems."""
