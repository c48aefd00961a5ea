"""The questions that are put to the loader, in the order of the report."""

from spindle.models.ml_loader.studies import published

STUDIES = published.STUDIES
