"""Block traces: what they are like, what a cache hits of them, and how drives serve them."""
