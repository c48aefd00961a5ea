"""Pages, the lists that they are on, the working sets that hold them, and who takes them away again."""
