"""Lists of requests as somebody recorded them: read from files of any length, and asked of drives again."""
