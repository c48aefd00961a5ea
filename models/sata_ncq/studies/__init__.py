"""The studies of Kim's drive, in the order of the report, from a file for each theme."""

from spindle.models.sata_ncq.studies import access_times, effects, forty_years, mechanisms, policies

STUDIES = (
    *access_times.STUDIES, *policies.STUDIES, *effects.STUDIES, *mechanisms.STUDIES,
    *forty_years.STUDIES,
)  # fmt: skip
