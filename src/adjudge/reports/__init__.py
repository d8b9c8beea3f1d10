"""Results as words and as one self-contained page."""

import adjudge.reports.learner_sections  # noqa: F401 - registers words and sections of estimated learners
