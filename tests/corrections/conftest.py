"""What tests of corrections of files share."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.corrections.made import CLASSES, cases, table


@pytest.fixture
def small(tmp_path):
    p, y = cases(300)
    path = tmp_path / "new.parquet"
    pq.write_table(table(p, id=np.arange(300), truth=np.array(CLASSES)[y], predicted=np.array(CLASSES)[p.argmax(axis=1)]), path)
    return path, p, y
