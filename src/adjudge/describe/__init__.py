"""Results as documents: sentences, numbers, figures and findings, with nothing of how they look."""

import adjudge.describe.corrections
import adjudge.describe.ensembles
import adjudge.describe.evaluation
import adjudge.describe.gate
import adjudge.describe.numbers
import adjudge.describe.ranking
import adjudge.describe.selected  # noqa: F401 - these register the documents of their results, and import the other families
from adjudge.describe.description import describe as describe
from adjudge.describe.document import Document as Document
