"""What MPE and the programs do on the machine: loading, performing answers, dispatching."""
