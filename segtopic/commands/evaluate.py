"""``segtopic evaluate RUN``: how well a run predicts its test documents."""

from collections.abc import Sequence

from segtopic.commands.arguments import command_parser, parse
from segtopic.commands.display import counting, print_json, print_table
from segtopic.errors import ConfigError, CorpusError
from segtopic.evaluate.predictive import Evaluation, evaluate_model
from segtopic.training import load_run


def run(arguments: Sequence[str]) -> int:
    """Evaluate and print."""
    parser = command_parser("evaluate", "Tell how well a run predicts its test documents.")
    parser.add_argument("run", type=str, help="folder of the run")
    parser.add_argument("--samples", type=int, default=20, help="samples of the multi-sample bound")
    chosen = parse(parser, arguments)
    if chosen.samples < 1:
        raise ConfigError(f"--samples is {chosen.samples}, but must be at least 1")
    trained = load_run(chosen.run)
    corpus = trained.corpus()
    test = corpus.documents.select(trained.split(corpus).test)
    if test.n_documents == 0:
        raise CorpusError(
            f"{chosen.run}: was trained with test_share 0, so nothing is left to test"
        )
    with counting() as progress:
        evaluation = evaluate_model(
            trained.model, test, trained.config.refine_steps, chosen.samples, progress=progress
        )
    if chosen.json:
        print_json({"run": chosen.run, **evaluation.to_dict()})
    else:
        title = f"{chosen.run}: {test.n_documents:,} test documents"
        print_table(title, ("", ""), evaluation_rows(evaluation))
    return 0


def evaluation_rows(evaluation: Evaluation) -> list[tuple[str, str]]:
    """The figures in words."""
    figures = evaluation.to_dict()

    def with_interval(name: str) -> str:
        low, high = figures[f"{name}_interval"]
        return f"{figures[name]:.4f}  [{low:.3f}, {high:.3f}]"

    return [
        ("scored words", f"{figures['scored_words']:,}"),
        ("predictive log likelihood per word", ""),
        ("  refined topics", with_interval("predictive_refined")),
        ("  encoder's mean", with_interval("predictive_mean")),
        ("  continuation words, refined", f"{evaluation.continuation:.4f}"),
        ("bounds on whole documents, per word", ""),
        ("  one sample (ELBO)", f"{evaluation.elbo:.4f}"),
        (f"  {evaluation.n_samples} samples", f"{evaluation.multi_sample:.4f}"),
        ("divergence per document", f"{evaluation.kl:.1f} nats"),
        ("active topics", f"{evaluation.active_topics} of {evaluation.n_topics}"),
        ("words per segment", f"{evaluation.segment_length:.3f}"),
        ("segments of several words", f"{evaluation.long_segments:.1%}"),
    ]
