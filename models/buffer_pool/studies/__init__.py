"""The questions that are put to the buffer pool, in the order of the report."""

from spindle.models.buffer_pool.studies import pools

STUDIES = pools.STUDIES
