"""What people decide: the queue that is put to them, their decisions, and the loop and desk around both."""
