"""The studies of Kim's drive, in the order of the report, from a file for each theme."""

from spindle.models.sata_ncq.studies import access_times, effects, forty_years, inputs, mechanisms, partitions, policies

STUDIES = (
    *access_times.STUDIES, *partitions.STUDIES, *inputs.STUDIES, *policies.STUDIES, *effects.STUDIES,
    *mechanisms.STUDIES, *forty_years.STUDIES,
)  # fmt: skip
