"""Small runs for reports, one of them with documents that try to break out of the page."""

import json
import warnings

from segtopic.commands.train import train
from segtopic.config import TrainerConfig
from segtopic.training.system import Collapse
from tests.grammar.planted import FUNCTION_WORDS
from tests.grammar.planted import planted as planted_language
from tests.training.planted import planted_texts, small

SCRIPT = "<script>document.title = 'broken'</script>"
IMAGE = '"><img src=x onerror="document.title=\'broken\'">'
HOSTILE = {
    "script": SCRIPT,
    IMAGE: IMAGE,
    "close </script><b>": "</script></style></textarea><!-- <b>bold</b> --> ]]>",
    "bidi \u202egnp.exe": "right \u202eto left\u2066 again\u2069",
    "astral": "\U0001f600 \U0001d4b3 before phrases",
    "jinja": "{{ 7 * 7 }} {% raw %} ${7 * 7} `x`",
    "lines": "one\u2028two\u2029three\x01four\x85five\tsix",
}


def corpus_file(folder, n_documents=60, hostile=True):
    """Planted documents; in every hostile one, words of the first topic come after the attack."""
    texts, _ = planted_texts(n_documents)
    lines = [{"id": f"planted-{n}", "text": text} for n, text in enumerate(texts)]
    if hostile:
        lines += [{"id": name, "text": f"{text} {texts[0]}"} for name, text in HOSTILE.items()]
    path = folder / "hostile & <small>.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def small_run(folder, corpus=None, keep_checkpoints=False, **settings):
    """A run of two epochs."""
    config = small(corpus or corpus_file(folder), **{"epochs": 2, "refine_steps": 4, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        one_thread = TrainerConfig(accelerator="cpu", threads=1)
        return train(config, folder / "run", one_thread, keep_checkpoints=keep_checkpoints)


def grammatical_run(folder):
    """A run with a phrase grammar; a hostile text stands before the first document."""
    texts, _ = planted_language(1600)
    stop_words = folder / "stop_words.txt"
    stop_words.write_text("\n".join(sorted(FUNCTION_WORDS)))
    corpus = folder / "language.jsonl"
    lines = [{"id": f"d{n}", "text": text} for n, text in enumerate(texts)]
    lines[0]["text"] = f"{SCRIPT} {lines[0]['text']}"
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return small_run(folder, corpus, epochs=1, stop_words=str(stop_words), clean_html=False)
