"""What a corpus of many documents costs: time and peak memory of each step, by its size.

    scripts/bench_scale.py --run runs/acl --documents 10000 50000 200000 1000000

The texts are drawn from a trained run (``segtopic sample``), so that any number of them can be had.
Each step is a process of its own with one thread:

- ``sample``: draw the documents;
- ``prepare``: text to a corpus, one process;
- ``begin``: all of a training but its epochs: read the corpus, keep it with the run, first topics,
  counts of phrases, first batch;
- ``step``: a training step, by the mean of ``--steps`` batches; an epoch is as many as there are;
- ``segment``: cut the first ``--segmented`` documents.

Memory is the largest sum, over the processes of a step, of what is their own (``RssAnon``); pages
of mapped files, which the system takes back when it needs room, stand beside it. Every row is kept
in ``--out`` as it is measured; a row that is there is not measured again.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

SECONDS_BETWEEN_LOOKS = 0.2
STEPS = ("sample", "prepare", "begin", "segment")


def measured(command: list[str]) -> dict[str, float]:
    """Run a command; its seconds, processor seconds and peak memory in megabytes."""
    started = time.monotonic()
    process = psutil.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    own = mapped = processor = 0.0
    while process.poll() is None:
        own_now = mapped_now = processor_now = 0.0
        try:
            for each in (process, *process.children(recursive=True)):
                for line in Path(f"/proc/{each.pid}/status").read_text().splitlines():
                    name, _, value = line.partition(":")
                    own_now += int(value.split()[0]) / 1024 if name == "RssAnon" else 0
                    mapped_now += int(value.split()[0]) / 1024 if name == "RssFile" else 0
                times = each.cpu_times()
                processor_now += times.user + times.system
        except (psutil.Error, OSError):
            continue
        own, mapped = max(own, own_now), max(mapped, mapped_now)
        processor = max(processor, processor_now)
        time.sleep(SECONDS_BETWEEN_LOOKS)
    output, error = process.communicate()
    if process.returncode:
        sys.exit(f"{' '.join(command)}: {error.decode().strip()}")
    figures = {
        "seconds": round(time.monotonic() - started, 1),
        "processor_seconds": round(processor, 1),
        "own_mb": round(own),
        "mapped_mb": round(mapped),
    }
    last = output.decode().strip().splitlines()[-1:]
    return figures | (json.loads(last[0]) if last and last[0].startswith('{"steps') else {})


def begin_training(corpus: Path, n_steps: int) -> None:
    """The child of the step ``begin``: prints how long its parts took."""
    import tempfile

    import torch

    from segtopic.config import RunConfig
    from segtopic.corpus.prepare import with_prepared_settings
    from segtopic.runs import RunCorpus
    from segtopic.training.data import TopicData
    from segtopic.training.system import TopicSystem
    from segtopic.training.task import TrainingTask

    torch.set_num_threads(1)
    config = with_prepared_settings(RunConfig(data=str(corpus)))
    with tempfile.TemporaryDirectory(dir=corpus.parent) as folder:
        kept = RunCorpus.to_learn(config, Path(folder), False, lambda stage, documents: None)
        task = TrainingTask.of(kept, config)
        kept.save(Path(folder))
        before = time.process_time()
        model = task.new_model().train()
        first = time.process_time() - before
        data = TopicData(task)
        optimiser = TopicSystem(model, task.config).optimiser()
        before = time.process_time()
        packing = 0.0
        for number in range(n_steps):
            began = time.process_time()
            batch = data.training.packed.batch(data.training.documents(number))
            packing += time.process_time() - began
            terms, _ = model.elbo(batch, leave_out=True)
            optimiser.zero_grad()
            (-(terms.log_likelihood - terms.kl).sum() / batch.spans.n_words).backward()
            optimiser.step()
        steps = time.process_time() - before
    figures = {
        "steps": n_steps,
        "documents_of_step": task.config.batch_size,
        "step_seconds": round(steps / n_steps, 3),
        "packing_share": round(packing / steps, 4),
        "first_model_seconds": round(first, 1),
        "words": kept.documents.n_words,
        "phrases_kept": sum(
            len(buffer) for name, buffer in model.named_buffers() if "counts_" in name
        ),
    }
    print(json.dumps(figures))


def main() -> None:
    """Measure what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--run", type=Path, help="a trained run to draw documents from")
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--segmented", type=int, default=2_000)
    parser.add_argument("--folder", type=Path, default=Path("runs/scale"), help="for the texts")
    parser.add_argument("--out", type=Path, default=Path("docs/results/scale.json"))
    parser.add_argument("--only", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument("--begin", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.begin is not None:
        begin_training(chosen.begin, chosen.steps)
        return
    rows: list[dict[str, Any]] = json.loads(chosen.out.read_text()) if chosen.out.exists() else []
    chosen.folder.mkdir(parents=True, exist_ok=True)
    segtopic = [sys.executable, "-m", "segtopic"]
    for size in chosen.documents:
        texts, corpus = chosen.folder / f"{size}.jsonl", chosen.folder / f"{size}.corpus"
        cut = chosen.folder / f"{size}.segmented.jsonl"
        limit = min(size, chosen.segmented)
        run, source, steps = str(chosen.run), str(texts), str(chosen.steps)
        drawn = ["--documents", str(size), "--out", source, "--overwrite"]
        written = ["--limit", str(limit), "--format", "jsonl", "--out", str(cut), "--overwrite"]
        commands = {
            "sample": [*segtopic, "sample", run, *drawn],
            "prepare": [*segtopic, "prepare", source, "--out", str(corpus), "--jobs", "1"],
            "begin": [sys.executable, __file__, "--begin", str(corpus), "--steps", steps],
            "segment": [*segtopic, "segment", run, source, "--workers", "1", *written],
        }
        for step in STEPS:
            known = any((row["documents"], row["step"]) == (size, step) for row in rows)
            if known or step not in chosen.only:
                continue
            figures = measured(commands[step])
            done = limit if step == "segment" else size
            rows.append({"documents": size, "step": step, "done": done, **figures})
            chosen.out.write_text(json.dumps(rows, indent=1) + "\n")
    print("documents  step     ms/document  own MB  mapped MB")
    for row in sorted(rows, key=lambda row: (row["documents"], STEPS.index(row["step"]))):
        each = 1000 * row["processor_seconds"] / row["done"]
        print(
            f"{row['documents']:>9,}  {row['step']:<8} {each:>11.2f} {row['own_mb']:>7,} "
            f"{row['mapped_mb']:>10,}"
        )
        if "step_seconds" in row:
            each = 1000 * row["step_seconds"] / row["documents_of_step"]
            print(f"{'':9}  epoch    {each:>11.2f}  (of {row['steps']} batches)")


if __name__ == "__main__":
    main()
