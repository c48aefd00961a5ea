"""Main memory as the programs have it: segments that come and go under one clock."""
