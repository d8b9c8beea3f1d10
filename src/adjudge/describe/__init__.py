"""Results as documents: sentences, numbers, figures and findings, with nothing of how they look."""

from adjudge.describe.description import describe as describe
from adjudge.describe.document import Document as Document
