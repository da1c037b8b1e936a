"""Any number of inputs or pairs in, written lines out: what ``decode`` and ``align`` do.

A stream goes through some sequences at a time, in constant memory; the order is kept.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

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

Item = TypeVar("Item")


def decoded_lines(
    predictor: SwanPredictor,
    writing: Writing,
    blocks: Iterable[Iterable[Symbols]],
    config: DecodeConfig,
) -> Iterator[str]:
    """A line for each output of each input (text), or for each input (JSON lines).

    As many lines at a time as were decoded together. All of a block are answered before the next
    one is waited for.
    """
    for some in _batches(blocks, len):
        found = predictor.predict(
            some,
            beam=config.beam,
            n_best=config.n_best,
            local_beam=config.local_beam,
            merge=config.merge,
        )
        decoded = zip(some, found, strict=True)
        if config.format == "jsonl":
            yield "".join(_json(_decoded(*one)) for one in decoded)
        else:
            yield "".join(_written(*one, writing) for one in decoded)


def aligned_lines(
    predictor: SwanPredictor,
    blocks: Iterable[Iterable[PairLine]],
    bad_lines: BadLines,
    as_json: bool,
) -> Iterator[str]:
    """A line for each pair that is possible, some at a time as above; the others are bad lines."""
    possible = (_possible(predictor, lines, bad_lines) for lines in blocks)
    for some in _batches(possible, _size):
        aligned = predictor.align(some)
        if as_json:
            yield "".join(map(_json, map(_aligned, some, aligned)))
        else:
            yield "".join(for_line(str(each)) + "\n" for each in aligned)


def _batches(blocks: Iterable[Iterable[Item]], size: Callable[[Item], int]) -> Iterator[list[Item]]:
    for block in blocks:
        yield from batches(block, size, MOST_SYMBOLS, AT_ONCE)


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


def _written(inputs: Symbols, predictions: Iterable[Prediction], writing: Writing) -> str:
    shown = for_line(writing.input_separator.join(inputs))
    lines = [
        f"{shown}\t{for_line(writing.output_separator.join(outputs))}\t{probability:.4g}\n"
        for outputs, probability in predictions
    ]
    return "".join(lines)


def _decoded(inputs: Symbols, predictions: Iterable[Prediction]) -> dict[str, Any]:
    outputs = [{"symbols": each.outputs, "probability": each.probability} for each in predictions]
    return {"input": inputs, "outputs": outputs}


def _aligned(pair: Pair, aligned: AlignedPair) -> dict[str, Any]:
    return {
        "input": pair.inputs,
        "output": pair.outputs,
        "segments": [
            {"input": symbol, "outputs": outputs, "probability": probability}
            for (symbol, outputs), probability in zip(
                aligned.segments, aligned.posteriors, strict=True
            )
        ],
        "probability": aligned.probability,
        "log_likelihood": aligned.log_likelihood,
    }


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"
