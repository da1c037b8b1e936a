"""Any number of inputs or pairs in, written lines out: what ``decode`` and ``align`` do.

A stream goes through some sequences at a time, in constant memory; the order is kept.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from segtopic.config import DecodeConfig
from segtopic.corpus.records import BadLines, batches
from segtopic.harmless import for_line
from segtopic.swan.pairs import Pair, PairLine, Symbols, Writing
from segtopic.swan.predictor import (
    AT_ONCE,
    MOST_SYMBOLS,
    AlignedPair,
    Prediction,
    SwanPredictor,
)


def decoded_lines(
    predictor: SwanPredictor, writing: Writing, inputs: Iterable[Symbols], config: DecodeConfig
) -> Iterator[str]:
    """A line for each output of each input (text), or for each input (JSON lines)."""
    for some in batches(inputs, len, MOST_SYMBOLS, AT_ONCE):
        found = predictor.predict(
            some,
            beam=config.beam,
            n_best=config.n_best,
            local_beam=config.local_beam,
            merge=config.merge,
        )
        for sequence, predictions in zip(some, found, strict=True):
            if config.format == "jsonl":
                yield _json(_decoded(sequence, predictions))
                continue
            for prediction in predictions:
                columns = [
                    for_line(writing.input_separator.join(sequence)),
                    for_line(writing.output_separator.join(prediction.outputs)),
                    f"{prediction.probability:.4g}",
                ]
                yield "\t".join(columns) + "\n"


def aligned_lines(
    predictor: SwanPredictor, lines: Iterable[PairLine], bad_lines: BadLines, as_json: bool
) -> Iterator[str]:
    """A line for each pair that is possible; the others are bad lines."""
    pairs = _possible(predictor, lines, bad_lines)
    for some in batches(pairs, _size, MOST_SYMBOLS, AT_ONCE):
        for pair, aligned in zip(some, predictor.align(some), strict=True):
            yield _json(_aligned(pair, aligned)) if as_json else for_line(str(aligned)) + "\n"


def _possible(
    predictor: SwanPredictor, lines: Iterable[PairLine], bad_lines: BadLines
) -> Iterator[Pair]:
    longest = predictor.model.settings.max_segment_length
    for line in lines:
        for outputs in line.outputs:
            unknown = [each for each in outputs if not predictor.outputs.knows([each])]
            if unknown:
                bad_lines.report(
                    line.place, f"has the symbol '{unknown[0]}', which was in no training output"
                )
            elif not predictor.model.is_possible(len(line.inputs), len(outputs)):
                bad_lines.report(
                    line.place,
                    f"has {len(outputs)} outputs, but its {len(line.inputs)} inputs emit at most "
                    f"{longest} each",
                )
            else:
                yield Pair(line.inputs, outputs)


def _size(pair: Pair) -> int:
    return len(pair.inputs) * (len(pair.outputs) + 1)  # the nodes of its grid


def _decoded(inputs: Symbols, predictions: Iterable[Prediction]) -> dict[str, Any]:
    outputs = [{"symbols": each.outputs, "probability": each.probability} for each in predictions]
    return {"input": inputs, "outputs": outputs}


def _aligned(pair: Pair, aligned: AlignedPair) -> dict[str, Any]:
    return {
        "input": pair.inputs,
        "output": pair.outputs,
        "segments": [{"input": each, "outputs": outputs} for each, outputs in aligned.segments],
        "probability": aligned.probability,
        "log_likelihood": aligned.log_likelihood,
    }


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"
