"""What routers owe to everybody who waits: stated, and measured, apart from how they do it."""
