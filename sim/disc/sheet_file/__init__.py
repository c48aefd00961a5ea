"""Drive sheets in YAML files: read, checked, and made into data sheets of discs and solid-state drives."""
