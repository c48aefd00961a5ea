"""The language of TEPE's terminal scripts: text with the place of each mistake, and the checks of its statements."""
