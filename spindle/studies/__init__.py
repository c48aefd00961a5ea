"""Runs studies: each answers one question about a machine by runs of a model, with measures, a table and a picture."""
