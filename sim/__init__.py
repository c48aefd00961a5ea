"""Parts that any machine may be built from, and the means to run and measure them."""
