"""The page of an evaluation: its cards, and its chapters from the posteriors to the methods, with the papers named there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from adjudge._base import counted, probable, quoted, safe, share
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.clusters import clusters_of, clusters_section
from adjudge.describe.corrections import METHOD, corrections
from adjudge.describe.description import methods_section, opening
from adjudge.describe.document import SUMMARY, TEXTS, Card, Document, Row, Section, Table, base_name
from adjudge.describe.partition import simplex
from adjudge.describe.regression import pictures
from adjudge.describe.runs import runs
from adjudge.describe.scores import AMONG, MANY, top_k_words
from adjudge.describe.tables import DETAILS, about_confusions, class_sizes, classes, confusions, facts, parts
from adjudge.describe.thresholds import METHODS, ranking
from adjudge.describe.values import apart, limits, measured, method, one_name, percent, scope, short_title, sureness, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.curves import MOST_CURVES, RARE
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.findings import FEW_CASES
from adjudge.judgements.tally_estimates import GroupsJudged
from adjudge.judgements.weaknesses import LARGE, WEAK
from adjudge.plots.labels import count, decimals_for, named
from adjudge.plots.posteriors import accuracy_posteriors_set
from adjudge.plots.tables import NARROW_CLASSES, cell_map

PAPERS = TEXTS["papers"]
"""What a sentence calls a paper -> the paper in full."""
_SAID = TEXTS["evaluation"]  # paragraphs by topic
_TWO = 2
_NOTABLE = 0.005  # the least gain over the class shares that is told
_CARDS = ("accuracy", "balanced_accuracy", "sensitivity", "precision", "auc", "average_precision", "brier", "mcc", "f1", "rmse",
          "mae", "median_absolute_error", "r2", "mean_error")  # fmt: skip
_FILLERS = ("average_precision", "mcc", "f1")  # shown where there is little else: others say much the same
_FEW_CARDS, _MOST_CARDS = 3, 5
_FEW_CLASSES = 8
_MOST_CROSSED = 12  # groups, and classes, up to which the cases of each in each are shown
ONE_TEST_SET = TEXTS["page"]["one test set"]


def page_of(result: Evaluation, said: Document, every: Table) -> Iterator[Section]:
    """Yield the sections of the page: a summary with one picture, then the details, from posteriors to methods."""
    name, counts = base_name(result.origin.name), result.undecided if result.counts is None else result.counts
    cards = _cards(result)
    also = [Section("table", "remarks", "Also to know", sentences=said.closing, theme="wrong")] if said.closing else []
    details = [*_sure(result, every), *_wrong(result), *pictures(result), *also, *ranking(result), *corrections(result)]
    space, sure = result.partition, result.partition_intervals
    if space is not None and sure is not None:
        drawn = simplex({"": space})
        ac, separate = (measured(sure[name]) for name in ("scaled_accuracy", "ability_to_separate"))
        details.append(replace(drawn, lead=f"{drawn.lead} Scaled accuracy (Ac) {ac}, ability to separate (AS) {separate}."))
    details += clusters_section(result)
    if result.counts is not None and result.groups is not None:
        details += groups(result, result.counts, result.groups)
    details += [*runs(result), *origin(result)]
    names = [section.name for section in details]
    first = _first_picture(result, names)
    steps = tuple(step if step.see in names and step.see != first else replace(step, see="") for step in said.steps)
    yield from opening(name, _about(result, counts), said.sentences, cards, result.findings, steps=steps, folded=True)
    yield from (replace(each, theme=SUMMARY) if each.name == first else each for each in details)
    yield Section("facts", "data", "The data", tables=(facts(result, name),), theme="data")
    if counts is not None:
        sizes = class_sizes(counts)
        yield Section("table", "class-sizes", sizes.caption, tables=(sizes,), theme="data", folded=True)
    yield methods_section(*methods(result))


def _first_picture(result: Evaluation, names: list[str]) -> str | None:
    """Return the picture that tells most: of a rare class with scores what precision it costs to find it, else the decisions."""
    rare = ["precision-recall"] if result.rare is not None else []
    return next((name for name in (*rare, "confusion", "roc", "precision-recall", "agreement") if name in names), None)


def _about(result: Evaluation, counts: ConfusionCounts | None) -> str:
    """Return how many cases of which classes, and which of them is the positive one."""
    lead = (
        counted(result.origin.rows, "case") + ("" if result.clusters is None else f" of {clusters_of(result.clusters)}") + " · "
    )
    if counts is None:
        return f"{lead}numeric predictions"
    shown = ", ".join(named(list(counts.classes or ())[:_FEW_CLASSES], 60))
    more = f" and {counts.k - _FEW_CLASSES:,} more" if counts.k > _FEW_CLASSES else ""
    positive = " · no positive class known" if any(each.code == "A111" for each in result.findings) else ""
    if result.positive is not None:
        positive = f" · positive class: {one_name(result.positive, 60)}"
    without = " · no decisions" if result.counts is None else ""
    return f"{lead}{counted(counts.k, 'class', 'classes')}: {shown}{more}{positive}{without}"


def _cards(result: Evaluation) -> list[Card]:
    """Return the few numbers that matter most, none of which says what another one says."""
    told, shown, cards = result.estimates, list(_CARDS), list[Card]()
    own = next((row for row in result.by_class if result.rare is not None and row.label == result.rare.of), None)
    if own is not None:  # what is found of the class, before the accuracy that hides it
        told = told | {"sensitivity": own.sensitivity, "precision": own.precision}
        shown.sort(key=lambda name: name not in ("sensitivity", "precision"))
    alike = told.get("accuracy"), told.get("balanced_accuracy")
    same = alike[0] is not None and alike[1] is not None and value(alike[0]) == value(alike[1])
    for each in [told[name] for name in shown if name in told and not (same and name == "balanced_accuracy")]:
        if each.average is not None and each.measure in ("sensitivity", "precision"):
            continue  # their mean over classes is the balanced accuracy, or close to it
        if len(cards) < _MOST_CARDS and not (each.measure in _FILLERS and len(cards) >= _FEW_CARDS):
            known = scope(each) if each.interval is None else f"{percent(each.interval.level)}: {limits(each)}"
            note = known if each.reason is None else safe(each.reason)
            cards.append(Card(short_title(each), value(each), note, card_note(result, each)))
    among = next((each for each in result.top_k if each.k == AMONG), None)
    if among is not None and len(result.by_class) > MANY:  # sentences name the classes found least
        highest, ends = top_k_words(among)
        cards.insert(1 + (not same), Card(f"Top-{AMONG} accuracy", highest, f"{percent(result.level)}: {ends}"))
        return cards[:_MOST_CARDS]
    some = [row for row in result.by_class if row.cases > 0] if len(result.by_class) > _TWO else []
    worst = min((row.sensitivity for row in some), key=lambda each: float(each.value), default=None)
    if worst is not None and worst.interval is not None:
        note = f"sensitivity, {percent(worst.interval.level)}: {limits(worst)}"
        cards.insert(1 + (not same), Card("Class found least", value(worst), one_name(worst.of, 40), note))
    return cards[:_MOST_CARDS]


def card_note(result: Evaluation, estimate: Estimate) -> str:  # noqa: PLR0911 - one note for each kind of measure
    """Return below a number what it is to be read against: a baseline, its class, or why it has no limits."""
    if estimate.measure == "accuracy" and result.baseline is not None:
        width = 0.0 if estimate.interval is None else estimate.interval.high - estimate.interval.low
        return f"always {one_name(result.baseline[0], 60)}: {apart(estimate.value, result.baseline[1], decimals_for(width))[1]}"
    if estimate.measure in ("sensitivity", "precision") and estimate.of is not None:
        return f"class {one_name(estimate.of, 60)}"
    if estimate.measure == "mean_error":
        return "above 0: predictions are too low"
    if estimate.measure in ("auc", "average_precision") and estimate.interval is not None:
        return scope(estimate)
    if estimate.measure == "auc" and result.counts is not None:
        return f"no interval: more than {MOST_CURVES} classes" if result.counts.k > MOST_CURVES else ""
    gained = {} if result.weaknesses is None else result.weaknesses.skills
    if estimate.measure not in gained:
        return ""
    much = gained[estimate.measure]
    words = f"{share(abs(much), decimals=0, most=2)} {'better' if much >= 0 else 'worse'} than the class shares alone"
    return words if abs(much) >= _NOTABLE else "no better than the class shares alone"


def _sure(result: Evaluation, every: Table) -> Iterator[Section]:
    """Yield the posteriors, drawn and in numbers, and every measure with its method and formula."""
    posteriors = result.accuracy_posteriors
    if posteriors is not None:
        marks = [] if result.baseline is None else [(f"always {one_name(result.baseline[0], 38)}", result.baseline[1])]
        lead = f"{posteriors.tested[0].upper()}{posteriors.tested[1:]}: posterior distributions under {posteriors.prior}. "
        lead += f"The shaded part is the {percent(posteriors.level)} interval."
        lead += f" {posteriors.chance.statement}." if posteriors.chance.classes > 1 else ""
        drawn = accuracy_posteriors_set(posteriors, marks)
        yield Section("figure", "densities", "Posterior distributions", lead, figure=drawn, theme="sure")
        brief = every.with_columns([at for at, name in enumerate(every.header) if name not in DETAILS])
        yield Section("table", "numbers", "In numbers", tables=(replace(brief, caption="In numbers"),), narrow=True, theme="sure")
    title, shown = "All measures", every
    if posteriors is not None:  # the numbers stand beside them
        title = "How each measure is defined and its interval made"
        own = [at for at, name in enumerate(every.header) if at == 0 or name in DETAILS]
        shown = replace(every.with_columns(own), notes=())
    yield Section("table", "measures", title, tables=(shown,), theme="sure", folded=posteriors is not None)


def _wrong(result: Evaluation) -> Iterator[Section]:
    """Yield the truth against the decisions, the largest confusions, and every class by itself."""
    counts, weak = result.counts, result.weaknesses
    if counts is not None:
        drawn = cell_map(counts)
        lead = "Each row sums to 100% of the cases of that true class."
        if drawn.others:
            most = f"the {len(drawn.rows) - 1} with most errors; the last row and column hold all others"
            lead += f" Of {counts.k:,} classes, {most}. Numbers are percent; cells below 1% show their shade only."
        wide, caption = len(drawn.rows) > NARROW_CLASSES, "Cases by true class (rows) and decision (columns)"
        told = (Table(caption, ("True \\ predicted", *named(drawn.columns, 40)), _counted(named(drawn.rows, 60), drawn.counts)),)
        yield Section("figure", "confusion", "Confusion matrix", lead, tables=told, figure=drawn, wide=wide, theme="wrong")
    if counts is not None and weak is not None and counts.k > _TWO:
        largest, about = confusions(weak, counts, result.level), about_confusions(weak, counts)
        yield Section("table", "confusions", largest.caption, about, tables=(largest,), narrow=True, theme="wrong")
    if result.by_class:
        every = classes(result)
        lead = f"One class against the rest, with {percent(result.level)} intervals in brackets."
        lead += " The commonest classes first." if every.folded else ""
        yield Section("table", "classes", "Class by class", lead, tables=(every,), theme="wrong")


def groups(result: Evaluation, counts: ConfusionCounts, judged: GroupsJudged) -> Iterator[Section]:
    """Yield how each group fares, whether they differ, and what is left when groups count alike."""
    from adjudge.plots.learners import part_forest  # which knows all of learners; most files have neither groups nor folds

    table, level = parts(judged, result.by_group, "group", result.level), result.level
    drawn = part_forest(judged.accuracy, [("All cases", result.estimates["accuracy"], "diamond")], what="group", level=level)
    title, lead, several = "Does it work in every group?", _range(result.by_group, "group"), len(result.by_group) > 1
    tested, read = judged.compared, []
    if tested is not None and tested.p_value <= 1 - level:
        ends = f"least often correct in {quoted(tested.lowest)}, most often in {quoted(tested.highest)}"
        by = f"(p {probable(tested.p_value, digits=3)}), even with the classes taken into account"
        read.append(f"The groups differ by more than chance {by}: {ends}.")
    elif tested is not None:
        p = probable(tested.p_value, digits=3)
        read.append(f"Differences between the groups may be chance (p {p}), the classes taken into account.")
    elif several:
        why = "cases have weights, or are too few in each group, or share no class"
        read.append(f"Whether the groups differ was not tested: {why}.")
    if several:
        read.append("Intervals of small groups are wide: one that reaches into the band does not differ surely.")
    yield Section("figure", "groups", title, lead, tables=(table,), figure=drawn, theme="groups", reading=tuple(read))
    over, plain = result.over_groups, result.estimates["balanced_accuracy"]
    if over is not None:
        apart = [("Classes counting alike", plain, "diamond"), ("Groups counting alike as well", over, "diamond")]
        both = f"{value(plain)} ({sureness(plain)}) becomes {value(over)} ({sureness(over)})"
        brief = replace(table.with_columns((0, 1, 4)), caption="Balanced accuracy by group")
        drawn = part_forest(judged.balanced, apart, what="group", level=level)
        more: dict[str, Any] = {"reading": (f"Where groups count alike too, {both}.", TEXTS["owed"][judged.owed])}
        more |= {"tables": (brief,), "figure": drawn, "theme": "groups"}
        yield Section("figure", "groups-balanced", "Does it rely on the groups?", TEXTS["page"]["alike"], **more)
    if counts.k <= _MOST_CROSSED and several and len(result.by_group) <= _MOST_CROSSED:
        names, labels = named(list(result.by_group), 60), named(list(counts.classes), 40)
        rows = _counted(names, [table.support for table in result.by_group.values()])
        lead = "A class that is rare in one group and common in another lets the group give the class away."
        crossed, title = Table("Cases by group and true class", ("Group", *labels), rows), "Which classes are in which group"
        yield Section("table", "groups-classes", title, lead, tables=(crossed,), theme="groups", narrow=True)


def _counted(names: list[str], cells: Any) -> tuple[Row, ...]:
    return tuple((name, *(count(v) for v in row.tolist())) for name, row in zip(names, cells, strict=True))


def _range(tables: Mapping[Any, ConfusionCounts], what: str) -> str:
    each = [float(table.correct.sum() / table.n) for table in tables.values() if table.n]
    weighed = " (weighted)" if any(isinstance(table, WeightedCounts) for table in tables.values()) else ""
    span = f"Accuracy from {share(min(each))} to {share(max(each))} over {counted(len(tables), what)}{weighed}"
    return f"{span}; the band is the interval of all cases together."


def origin(result: Evaluation) -> Iterator[Section]:
    """Yield the folds, where there are some; else what one test set does not tell."""
    folds = result.folds
    if folds is None:
        if result.counts is not None or result.undecided is not None:
            yield Section("table", "folds", "Validation design", ONE_TEST_SET, theme="origin")
        return
    from adjudge.plots.learners import part_forest

    tables = {label: counts for label, counts in result.by_fold.items() if counts.n}
    pooled, anew = result.estimates["accuracy"], folds.algorithm
    apart = [("This test set, pooled", pooled, "diamond"), ("This algorithm, trained anew", anew, "diamond")]
    apart.append((f"Mean of {counted(len(tables), 'fold')} ± 2 SE", folds.conventional, "cross"))
    read = [f"This test set: {value(pooled)} ({sureness(pooled)}), all answers pooled: these models on cases like these."]
    if anew is not None:
        about = "if each fold was answered by a model trained on all others; corrected for the training cases they share"
        read.append(f"This algorithm, trained anew: {value(anew)} ({sureness(anew)}), {about}.")
    smallest = min(round(counts.n) for counts in tables.values())
    if smallest <= FEW_CASES:
        fewest = f"(the smallest has {counted(smallest, 'case')})"
        read.append(f"Folds are small {fewest}: read the pooled number, not single folds.")
    bar = "The bar of two standard errors is what is commonly reported"
    read.append(f"{bar}; it takes no notice of training cases that folds share.")
    table, drawn = parts(folds, tables, "fold", result.level), part_forest(folds.accuracy, apart, what="fold", level=result.level)
    more: dict[str, Any] = {"tables": (table,), "figure": drawn, "theme": "origin", "reading": tuple(read)}
    yield Section("figure", "folds", "Fold by fold", _range(tables, "fold"), **more)


def cited(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences with the papers they name numbered as they come, and the numbered papers after them.

    >>> cited(["Worth as much (Kish 1965).", "Again (Kish 1965)."])[1:]
    ('Again (Kish 1965 [1]).', '[1] Kish L (1965). Survey Sampling. Wiley, New York.')
    """
    numbers: dict[str, int] = {}
    told = []
    for sentence in sentences:
        words = sentence
        for name in sorted((name for name in PAPERS if name in sentence), key=sentence.index):
            words = words.replace(name, f"{name} [{numbers.setdefault(name, len(numbers) + 1)}]")
        told.append(words)
    return (*told, *(f"[{at}] {PAPERS[name]}" for name, at in numbers.items()))


def methods(result: Evaluation) -> tuple[str, ...]:
    """Return one paragraph per topic of which there is something on the page, then the papers named there."""
    if result.undecided is not None:
        return cited(_of_scores(result))
    if result.counts is None:
        return cited((_SAID["numbers"], _SAID["relative"], _SAID["finite"].format(percent(result.level))))
    told = [*_of_decisions(result, result.counts), *_of_scores(result)]
    if result.recommendations and result.correctable is not None:
        told.append(f"Corrections. {METHOD}{_SAID['sampled'] if result.correctable.cases.weight is not None else ''}")
    told += [_SAID["clusters"]] if result.clusters is not None else []
    told += [] if result.clusters is None else [_SAID["clustered rates"]]
    told += [] if result.runs is None else [_SAID["runs"]]
    told += [_SAID["groups"]] if len(result.by_group) > 1 else []
    told += [_SAID["folds"]] if len(result.by_fold) > 1 else []
    told += [_SAID["simplex"]] if result.drawn is not None and result.partition_intervals is not None else []
    return cited([*told, _SAID["undefined"]])


def _of_decisions(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield how shares, averages, chance and posteriors were worked out from the counts."""
    used = method(result.estimates["accuracy"].interval)
    paper = {"mid-P": " (Lancaster 1961)", "Wilson score": " (Wilson 1927)"}.get(used, "")
    yield _SAID["shares"].format(percent(result.level), used, paper)
    if result.repeats > 1:
        yield _SAID["repeats"]
    elif isinstance(counts, WeightedCounts):
        yield _SAID["weights"]
    if counts.has_rejected:
        yield _SAID["rejected"]
    yield _SAID["averages"]
    yield _SAID["weak"].format(percent(WEAK), percent(LARGE))
    if result.chance is not None and result.chance.classes > 1:
        yield _SAID["chance"]
    if result.rare is not None:
        yield _SAID["rare"].format(share(RARE / counts.k)) + (_SAID["instead"] if result.rare.instead is not None else "")
    if result.accuracy_posteriors is not None:
        yield _SAID["posteriors"]
        alone = result.accuracy_posteriors.tested.startswith("one classifier")  # or the algorithm that made one for each fold
        yield _SAID["one" if alone else "folded"]


def _of_scores(result: Evaluation) -> Iterator[str]:
    if "auc" not in result.estimates:
        return
    yield _SAID["ranking"] + (_SAID["pairs"] if "auc_hand_till" in result.estimates else "")
    if result.curves.get("roc"):
        yield from (*METHODS, _SAID["steps"])
    if "reliability" in result.curves:
        yield _SAID["probabilities"]
    yield _SAID["curves"]
