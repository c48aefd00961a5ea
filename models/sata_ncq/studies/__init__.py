"""The questions that are put to the drive, in the order of the report: a file a theme."""

from spindle.models.sata_ncq.studies import access_times, effects, forty_years, mechanisms, policies

STUDIES = (
    *access_times.STUDIES, *policies.STUDIES, *effects.STUDIES, *mechanisms.STUDIES,
    *forty_years.STUDIES,
)  # fmt: skip
