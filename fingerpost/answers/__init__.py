"""Answers of one command each: facts as JSON, and the same rendered for a terminal."""
