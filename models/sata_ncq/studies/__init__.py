"""The questions that are put to the drive, in the order of the report: a file a theme."""

from spindle.models.sata_ncq.studies import access_times, forty_years, mechanism, mechanisms, policies, real

STUDIES = (
    *access_times.STUDIES, *policies.STUDIES, *mechanism.STUDIES, *real.STUDIES, *mechanisms.STUDIES,
    *forty_years.STUDIES,
)  # fmt: skip
