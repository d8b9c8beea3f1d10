"""Results as documents: sentences, numbers, figures and findings, with nothing of how they look."""

import adjudge.describe.comparison_sections
import adjudge.describe.corrections
import adjudge.describe.ensembles
import adjudge.describe.evaluation_sections
import adjudge.describe.gating
import adjudge.describe.learner_sections
import adjudge.describe.over_data_sets
import adjudge.describe.partitions
import adjudge.describe.ranking_sections
import adjudge.describe.selected  # noqa: F401 - these register the sentences and sections of their results
from adjudge.describe.description import describe as describe
from adjudge.describe.document import Document as Document
