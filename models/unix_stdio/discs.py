"""Where the bytes come to rest: a drive with its journal, or a disc that R and U describe."""
