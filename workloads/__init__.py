"""What is asked of a machine; knows no machine."""
