"""What is said of an estimated learner, against numbers worked out here by other means."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from tests.described import facts, mentions, sections, verdict
from tests.scripts import only_ours

import adjudge
from adjudge.describe.learner import estimates, folds, percent_of, shares
from adjudge.describe.values import spoken
from adjudge.judgements.resampled import Share, TradeOff

RNG = np.random.default_rng(11)
X = RNG.normal(size=(120, 4))
Y = np.where(X[:, 0] + RNG.normal(size=120) * 0.6 > 0, "yes", "no")
NUMBERS = X @ np.arange(4) + RNG.normal(size=120)
HOSTILE = "</h1><script>alert(1)</script>\x1b[2J\u202e"


class Hostile(ClassifierMixin, BaseEstimator):
    """A learner whose name and failures are not to be believed."""

    def __init__(self, failing=()):
        self.failing = failing

    def fit(self, X, y):
        if round(float(X[:, 0].sum()), 6) in self.failing:
            raise ValueError(HOSTILE)
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def __repr__(self, **_):
        return f"Hostile{HOSTILE}"


class Constant(RegressorMixin, BaseEstimator):
    """Always answers 1."""

    def fit(self, X, _):
        self.seen_ = len(X)
        return self

    def predict(self, X):
        return np.ones(len(X))


def estimated(learner=None, x=X, y=Y, by=None, **how):
    return adjudge.estimate(learner or GaussianNB(), x, y, by=by or KFold(5), random_state=0, progress=False, **how)


@pytest.fixture(scope="module")
def five():
    return estimated()


@pytest.fixture(scope="module")
def rounds():
    return estimated(by="bootstrap632+-20")


@pytest.fixture(scope="module")
def broken():
    """Folds 2 and 4 of five fail."""
    failing = [round(float(X[learn, 0].sum()), 6) for learn, _ in KFold(5).split(X)]
    return estimated(Hostile(tuple(failing[i] for i in (1, 3))))


@pytest.fixture(scope="module")
def every(five, rounds, broken):
    return {
        "five": five,
        "rounds": rounds,
        "broken": broken,
        "ten times ten": estimated(by="10x10-fold"),
        "one by one": estimated(by="leave-one-out"),
        "holdout": estimated(by="holdout"),
        "splits": estimated(by="subsampling-25"),
        "perfect": estimated(x=np.c_[Y == "yes", X[:, 0]]),
        "numbers": estimated(Ridge(), y=NUMBERS),
        "numbers, one by one": estimated(Ridge(), y=NUMBERS, by="leave-one-out"),
        "constant": estimated(Constant(), y=np.full(120, 1.5)),
        "one measure": estimated(measures=("mcc",)),
    }


def lines(result):
    """Return the sentences at the head of the text, unwrapped."""
    return verdict(result)


def midp(x, n):
    """The mid-P limits by scipy's binomial tails, which our code does not use."""
    low = brentq(lambda p: stats.binom.pmf(x, n, p) / 2 + stats.binom.sf(x, n, p) - 0.025, 1e-12, 1 - 1e-12)
    high = brentq(lambda p: stats.binom.pmf(x, n, p) / 2 + stats.binom.cdf(x - 1, n, p) - 0.025, 1e-12, 1 - 1e-12)
    return [f"{low:.1%}", f"{high:.1%}"]


def corrected(scores, share):
    """The t interval over folds with the variance of Nadeau and Bengio."""
    k = scores.size
    half = stats.t.ppf(0.975, k - 1) * np.sqrt((1 / k + share / (1 - share)) * scores.var(ddof=1))
    return [f"{scores.mean() - half:.1%}", f"{scores.mean() + half:.1%}"]


@pytest.mark.slow
def test_the_verdict_of_five_folds(five):
    scores = cross_val_score(GaussianNB(), X, Y, cv=KFold(5))
    right = int((cross_val_predict(GaussianNB(), X, Y, cv=KFold(5)) == Y).sum())
    common = max(("no", "yes"), key=lambda label: np.sum(label == Y))
    error = scores.std(ddof=1) / 5**0.5
    remembered, new = 1 - GaussianNB().fit(X, Y).score(X, Y), 1 - right / 120
    first, test_set, algorithm, bar, bias, said = lines(five)
    assert first.startswith("GaussianNB(): accuracy ")
    assert facts(first) == [f"{right / 120:.1%}", "120", "5", f"{np.mean(common == Y):.1%}", f"'{common}'"]
    assert test_set.startswith("This test set: ")
    assert facts(test_set) == ["95%", *midp(right, 120)]
    assert algorithm.startswith("This algorithm")
    assert facts(algorithm) == ["95%", *corrected(scores, 0.2), f"{scores.mean():.1%}", "5"]
    assert facts(bar) == ["± 2", "5", f"{scores.mean() - 2 * error:.1%}", f"{scores.mean() + 2 * error:.1%}"]
    assert "too short" in bar
    assert facts(bias)[0] == f"{100 * (new - remembered):.1f}"
    assert said == verdict(five.overfitting)[-1]


def test_the_tables_of_five_folds(five):
    scores = cross_val_score(GaussianNB(), X, Y, cv=KFold(5))
    found = estimates(five)
    assert found.header == ("Measure", "Pooled", "Mean of folds", "Algorithm (95%)", "Mean ± 2 SE")
    accuracy = found.rows[0]
    assert accuracy[2:4] == (f"{scores.mean():.1%}", " to ".join(corrected(scores, 0.2)))
    by_fold = folds(five)
    assert by_fold.header == ("Fold", "Training", "Cases", "Accuracy (95%)", "Balanced accuracy", "MCC")
    assert [row[:3] for row in by_fold.rows] == [(str(i), "96", "24") for i in range(1, 6)]
    assert [row[3].split()[0] for row in by_fold.rows] == [f"{score:.1%}" for score in scores]


@pytest.mark.slow
def test_the_level_is_that_asked_for():
    text = estimated(level=0.9).in_words()
    assert "This test set: 90% interval" in text
    assert "Algorithm (90%)" in text
    assert "95%" not in text.split("\n\n")[0]


@pytest.mark.slow
def test_two_standard_errors_are_not_called_too_short_where_they_are_not():
    assert "is too short" not in lines(estimated(level=0.3))[3]


def test_the_bootstrap_in_words(rounds):
    over = rounds.estimates["accuracy"]
    text = " ".join(lines(rounds))
    assert mentions(
        text, f".632+ {over.bootstrap632plus:.1%}", f".632 (Efron's) {over.efron632:.1%}", f"rounds) {over.bootstrap632:.1%}."
    )
    left = np.mean([1 - np.unique(learn).size / 120 for learn in rounds.plan.train])
    expected = (1 - 1 / 120) ** 120
    (told,) = (line for line in lines(rounds) if "1 - 1/e" in line)
    shares_told = [fact for fact in facts(told) if fact.endswith("%")]
    assert shares_told == [f"{part:.1%}" for part in (1 - left, 1 - expected, 1 - np.exp(-1), left)]
    assert any(mentions(line, "This algorithm", "not known") for line in lines(rounds))
    assert estimates(rounds).header[-3:] == (".632+", ".632 (Efron)", ".632 (mean)")


def test_failures_come_first(broken):
    first, second, *_ = lines(broken)
    assert facts(first)[:4] == ["3", "5", "2", "4"]
    assert "failed: ValueError: </h1><script>alert(1)</script>\\x1b[2J\\u202e" in first
    assert facts(second)[2:5] == ["72", "3", "5"]
    table = folds(broken)
    assert [row[3] == "failed" for row in table.rows] == [False, True, False, True, False]
    assert table.notes[0].startswith("Folds 2, 4 failed: ")


@pytest.mark.slow
def test_a_failed_fit_on_all_cases_is_said():
    whole = estimated(Hostile((round(float(X[:, 0].sum()), 6),)))
    assert mentions(lines(whole)[0], "all cases", "failed: ValueError: ")
    assert "overfitting" not in [part.name for part in sections(whole)]
    assert "On the training cases" not in whole.to_html()


def test_numbers_in_words(every):
    predicted = cross_val_predict(Ridge(), X, NUMBERS, cv=KFold(5))
    mae = mean_absolute_error(NUMBERS, predicted)
    relative = np.abs(NUMBERS - predicted).sum() / np.abs(NUMBERS - NUMBERS.mean()).sum()
    remembered = mean_absolute_error(NUMBERS, Ridge().fit(X, NUMBERS).predict(X))
    first, *others = lines(every["numbers"])
    assert first.startswith("Ridge(): ")
    assert facts(first) == [f"{mae:.3f}", "120", "5", f"{relative:.3f}"]
    assert mentions(others[0], "This test set", "mean absolute error, 95%")
    assert facts(others[-1]) == [f"{remembered:.3f}"]
    assert "training" in others[-1]
    assert "times the error" not in lines(every["constant"])[0]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("one by one", "each case by a learner"),
        ("holdout", "one stratified holdout"),
        ("ten times ten", "10 times 10 stratified folds"),
        ("splits", "25 random stratified splits"),
        ("rounds", "20 rounds of the bootstrap"),
    ],
)
def test_where_the_cases_came_from(every, kind, words):
    assert f"cases ({words}" in lines(every[kind])[0]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("one by one", "leave-one-out has no folds"),
        ("holdout", "one split does not show"),
        ("rounds", "no sound interval over rounds"),
        ("perfect", "all folds agree"),
    ],
)
def test_why_nothing_is_known_of_the_algorithm(every, kind, why):
    (said,) = (line for line in lines(every[kind]) if line.startswith("This algorithm"))
    assert mentions(said, "not known", why)


def test_spread_of_nothing_is_not_believed(every):
    assert any(mentions(line, "100.0% to 100.0%", "no width") for line in lines(every["perfect"]))
    assert "Algorithm (95%)" not in estimates(every["perfect"]).header


@pytest.mark.slow
def test_cases_judged_several_times_count_once(every):
    assert "each case counted once" in lines(every["ten times ten"])[1]
    text = every["ten times ten"].to_html()
    assert "counts are averages" in text
    assert "Weighted cases" not in text
    assert "weighted" not in " ".join(lines(every["ten times ten"]))


@pytest.mark.slow
def test_long_tables_are_folded(every):
    table = folds(every["ten times ten"])
    assert (len(table.rows), len(table.folded), table.summary) == (20, 80, "80 more folds")
    assert "And 80 more folds." in every["ten times ten"].in_words()
    assert table.header[1] == "Repeat"


@pytest.mark.slow
def test_every_kind_has_words_and_a_sound_page(every):
    for name, result in every.items():
        text, html = result.in_words(), result.to_html()
        assert max(map(len, text.splitlines())) <= 110, name
        assert not re.search(r"\bnan\b", text + html, re.IGNORECASE), name
        assert name not in ("broken", "numbers") or html == result.to_html(), name  # written anew
        only_ours(html)
        assert "style=" not in html, name
        assert "http:" not in html, name
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", html), name
        ids = re.findall(r' id="([^"]+)"', html)
        assert len(ids) == len(set(ids)), name
        json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_the_same_bytes_from_the_same_cases(five):
    assert five.to_html() == estimated().to_html()
    assert five.in_words() == estimated().in_words()


@pytest.mark.slow
def test_the_order_of_sections(five, every):
    assert [part.name for part in sections(five.completed())] == [
        "verdict", "findings", "forest", "densities", "confusion", "thresholds", "scores", "lift", "class-reliability",
        "reliability", "precision-recall", "simplex", "estimates", "folds", "overfitting", "next-steps", "measures", "classes", "corrections", "class-sizes",
        "plan", "methods",
    ]  # fmt: skip
    assert [part.name for part in sections(every["numbers, one by one"])] == [
        "verdict", "forest", "agreement", "residuals", "quantiles", "estimates", "next-steps", "measures", "plan", "methods",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_page_names_the_learner_once_and_its_plan(five):
    found = sections(five)
    assert found[0].title == "GaussianNB()"
    assert found[0].sentences[0].startswith("Accuracy ")
    (plan,) = (part for part in found if part.name == "plan")
    told = dict(plan.tables[0].rows)
    assert told["SHA-256"] == five.plan.fingerprint
    assert told["Rows"] == "120"
    assert told["Carried out"] == "5 folds"
    assert told["Test share"] == "20.0%"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "paper", "said"),
    [
        ("five", "Nadeau and Bengio 2003, Mach. Learn.", True),
        ("five", "Kohavi 1995", True),
        ("five", "Efron and Tibshirani", False),
        ("rounds", "Efron and Tibshirani 1997", True),
        ("rounds", "Kohavi", False),
    ],
)
def test_methods_name_their_papers(every, kind, paper, said):
    assert (paper in " ".join(sections(every[kind])[-1].sentences)) == said


@pytest.mark.slow
def test_the_belief_speaks_of_an_algorithm(every):
    for kind, words in (("one by one", "leave-one-out, 120 cases"), ("rounds", "20 rounds summed"), ("five", "5 folds summed")):
        (part,) = (part for part in sections(every[kind]) if part.name == "densities")
        assert f"An algorithm, {words}" in part.lead


@pytest.mark.slow
def test_hostile_names_are_only_text(broken):
    plain = replace(broken, learner="plain")
    tags = [re.findall(r"<[a-z/][^\s>]*", result.to_html()) for result in (broken, plain)]
    assert tags[0] == tags[1]
    assert "\x1b" not in broken.in_words()
    assert "\u202e" not in broken.in_words()


@pytest.mark.slow
def test_a_very_long_name_is_cut(five):
    long = replace(five, learner="Pipeline(" + "step, " * 10_000 + ")")
    assert len(lines(long)[0]) < 250
    assert len(long.to_html()) < len(five.to_html()) + 5_000


def test_measures_within_a_sentence():
    assert [spoken(name) for name in ("accuracy", "f1", "kappa", "brier", "auc", "mse")] == [
        "accuracy", "F1", "Cohen's kappa", "Brier score", "AUC", "mean squared error",
    ]  # fmt: skip


def trade(measure="accuracy", learner="GaussianNB()", **values):
    parts = tuple(Share(float(s) / 100, int(s), np.array(v)) for s, v in (values or {"50": [0.8, 0.9], "10": [0.7, 1.0]}).items())
    return TradeOff(learner, measure, parts, 7)


def test_a_trade_off_in_words():
    first, second = verdict(trade())
    low, high = np.std([0.7, 1.0], ddof=1), np.std([0.8, 0.9], ddof=1)
    assert first.startswith("GaussianNB(): mean accuracy ")
    assert facts(first) == ["2", "85.0%", f"± {low:.1%}", "10", "10%", "85.0%", f"± {high:.1%}", "50", "50%"]
    assert second.startswith("Few test cases ")
    assert [row[0] for row in shares(trade()).rows] == ["10%", "50%"]
    assert shares(trade()).rows[0][4] == "{:.1%} to {:.1%}".format(*np.quantile([0.7, 1.0], (0.25, 0.75)))
    assert "85.0%" in trade().in_words()


def test_a_trade_off_has_a_page():
    text = trade(learner=HOSTILE).to_html()
    only_ours(text)
    assert text.count("<svg") == 1
    assert "seed 7" in text
    assert text == trade(learner=HOSTILE).to_html()


def test_a_trade_off_without_values_has_a_page_without_a_picture():
    nothing = trade(measure="log_loss", **{"10": [np.inf, np.nan], "20": [np.nan, np.nan]})
    text = nothing.to_html()
    assert "<svg" not in text
    assert "undefined" in text


def test_shares_as_percentages():
    assert [percent_of(share) for share in (0.1, 2 / 3, 0.05, 0.004)] == ["10%", "67%", "5%", "0.4%"]
