"""Pages, the lists that they are on, the working sets that hold them, and the trimmer and page writer."""
