"""Subjects as draws of a population: what the result holds, its laws, and what is remarked."""

import math

import numpy as np
import pytest
from scipy import special, stats

from adjudge.judgements.population import judge_population

FIVE = np.array([[82.0], [75], [92], [85], [88]])


def judged(correct, cases, *, classes=(0,), measure="accuracy", **how):
    names = [f"s{i}" for i in range(len(correct))]
    options = {"level": 0.95, "chance": None, "prior": "brodersen"} | how
    return judge_population(names, np.asarray(correct, float), np.asarray(cases, float), classes, measure=measure, **options)


def codes(result):
    return [finding.code for finding in result.findings]


def test_published_numbers_stand_beside_ours():
    result = judged(FIVE, np.full((5, 1), 100))
    # R's micp: .820327, 95% .719636 to .896141, p 2.756e-7
    other = result.variational
    assert other.mean.value == pytest.approx(0.820327, abs=5e-7)
    assert (other.mean.interval.low, other.mean.interval.high) == pytest.approx((0.719636, 0.896141), abs=2e-5)
    assert other.infraliminal == pytest.approx(2.756e-7, rel=3e-4)
    # the same model by plain sums over a grid
    assert result.mean.value == pytest.approx(0.81272524, abs=1e-7)
    assert result.infraliminal == pytest.approx(0.0030025, abs=1e-6)
    assert result.above_chance == 1 - result.infraliminal
    assert result.findings == ()
    assert [subject.name for subject in result.subjects] == ["s1", "s0", "s3", "s4", "s2"]
    assert all(
        abs(each.estimate.value - result.mean.value) < abs(each.seen - result.mean.value) + 0.002 for each in result.subjects
    )


def test_two_alike_classes_average_their_recalls():
    """The mean of two independent copies: the same mean, and limits as the convolution says."""
    one = judged(FIVE, np.full((5, 1), 100))
    two = judged(np.hstack([FIVE, FIVE]), np.full((5, 2), 100), classes=("a", "b"), measure="balanced_accuracy")
    assert two.mean.value == pytest.approx(one.mean.value, abs=1e-9)
    assert two.next_subject.value == pytest.approx(one.next_subject.value, abs=1e-9)
    # the variational approximation: a sum of two logit-normal shares, by drawing
    z = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    share = special.expit(1.5487860 + 0.3092886 * z)
    wanted = np.quantile((share[:, None] + share).ravel() / 2, [0.025, 0.975])
    low, high = two.variational.mean.interval.low, two.variational.mean.interval.high
    assert (low, high) == pytest.approx(wanted, abs=2e-4)
    # half of the variance, as of the mean of two
    assert two.spread.value == pytest.approx(one.spread.value / math.sqrt(2), rel=0.15)


def test_the_order_of_subjects_and_classes_is_nothing():
    rng = np.random.default_rng(3)
    cases = rng.integers(3, 40, (6, 3)).astype(float)
    correct = np.floor(cases * rng.uniform(0.5, 1, (6, 3)))
    one = judged(correct, cases, classes="abc", measure="balanced_accuracy")
    other = judged(correct[::-1, [2, 0, 1]], cases[::-1, [2, 0, 1]], classes="cab", measure="balanced_accuracy")
    assert one.mean.interval.low == pytest.approx(other.mean.interval.low, abs=1e-9)
    assert one.next_subject.interval.high == pytest.approx(other.next_subject.interval.high, abs=1e-9)
    assert [s.seen for s in one.subjects] == pytest.approx([s.seen for s in other.subjects])
    assert one.chance == pytest.approx(1 / 3)


def test_a_subject_that_lacks_a_class_has_that_recall_from_the_others():
    correct, cases = (
        np.array([[8.0, 9], [7, 0], [9, 8], [6, 9], [8, 8]]),
        np.array([[10.0, 10], [10, 0], [10, 10], [10, 10], [10, 10]]),
    )
    result = judged(correct, cases, classes=("ill", "well"), measure="balanced_accuracy")
    lacking = result.subjects[-1]
    assert (lacking.name, lacking.lacks) == ("s1", ("well",))
    assert math.isnan(lacking.seen)
    assert result.to_dict()["subjects"][-1]["seen"] is None
    whole = lacking.estimate.interval
    assert whole.high - whole.low > result.subjects[0].estimate.interval.high - result.subjects[0].estimate.interval.low
    assert "A752" in codes(result)
    # a class that nobody has is no recall
    alone = judged(correct[:, :1], cases[:, :1], classes=("ill",), measure="balanced_accuracy")
    padded = judged(correct * [1, 0], cases * [1, 0], classes=("ill", "well"), measure="balanced_accuracy")
    assert padded.mean.value == pytest.approx(alone.mean.value, abs=1e-12)


def test_what_is_remarked():
    assert codes(judged([[8], [9], [7], [6]], np.full((4, 1), 10))) == ["A751"]
    skewed = judged([[90, 5]] * 5, [[90, 10]] * 5, classes=("a", "b"))
    assert codes(skewed) == ["A753"]
    assert "'a' always" in skewed.findings[0].message
    assert codes(judged([[90, 5]] * 5, [[90, 10]] * 5, classes=("a", "b"), chance=0.9)) == []
    many = judged(np.full((201, 1), 8), np.full((201, 1), 10))
    assert codes(many) == ["A755"]
    assert len(many.subjects) == 200


def test_one_subject_says_little_and_weak_priors_pull_less():
    one = judged([[900]], [[1000]])
    assert one.next_subject.interval.high - one.next_subject.interval.low > 0.8
    assert one.subjects[0].estimate.interval.high - one.subjects[0].estimate.interval.low < 0.05
    weak, usual = (judged(FIVE, np.full((5, 1), 100), prior=prior) for prior in ("weak", "brodersen"))
    # the same model by plain sums over a grid of both parameters: 0.8391 and 0.00084
    assert weak.mean.value == pytest.approx(0.83915, abs=2e-4)
    assert weak.mean.value > usual.mean.value
    assert weak.next_subject.interval.low > usual.next_subject.interval.low


@pytest.mark.parametrize("cases", [1, 1e9])
def test_hostile_subjects(cases):
    result = judged([[cases, 0], [0, cases], [cases, cases]], np.full((3, 2), cases), classes="ab", measure="balanced_accuracy")
    for each in (result.mean, result.next_subject, *(subject.estimate for subject in result.subjects)):
        assert 0 <= each.interval.low <= each.value + 1e-9 <= each.interval.high + 2e-9
        assert max(each.value, each.interval.high) <= 1
    assert result.mean.interval.low < 0.5 < result.mean.interval.high
