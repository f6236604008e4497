"""Runs cells in one persistent interpreter, for the daemon on the other end of descriptor 3."""
