"""The storage below the cache: a drive with its journal, or a disc that R and U describe."""
