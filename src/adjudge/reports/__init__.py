"""Results as words and as one self-contained page."""

import adjudge.reports.any_result
import adjudge.reports.comparison_sections
import adjudge.reports.ensembles
import adjudge.reports.evaluation_sections
import adjudge.reports.gating
import adjudge.reports.learner_sections
import adjudge.reports.over_data_sets
import adjudge.reports.partitions
import adjudge.reports.ranking_sections  # noqa: F401 - these register the words and sections of their results
