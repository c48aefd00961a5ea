"""The HP3000 Series 64 with MPE disc caching (McBride & Boles 1983)."""
