"""The two passes of a preparation, batch by batch: tokens and counts, then words and spans."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segtopic.config import VocabularyConfig
from segtopic.corpus.columns import TOKENS, document_batch, lengths_of, lists, values_of
from segtopic.corpus.copies import Copies
from segtopic.corpus.corpus import MOST_UNKNOWN, Summary
from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.parallel import tokenised
from segtopic.corpus.records import BadLines, DuplicateIds, Record
from segtopic.corpus.spans import SpanRules, lay_out_spans
from segtopic.corpus.tokenise import MARK, HtmlCounts
from segtopic.corpus.vocabulary import FormCounts, Vocabulary
from segtopic.engine import Engine


@dataclass(frozen=True)
class CountedForms:
    """What the first pass knows: every form with its counts, and how many documents there were."""

    forms: list[str]
    counts: IntArray
    document_counts: IntArray
    n_documents: int
    n_empty: int
    missing_cells: int
    html: HtmlCounts

    def vocabulary(self, rules: SpanRules, config: VocabularyConfig) -> Vocabulary:
        """The best of the forms that may be words."""
        chosen = np.flatnonzero(rules.may_be_words(self.forms))
        return Vocabulary.select(
            [self.forms[i] for i in chosen],
            self.counts[chosen],
            self.document_counts[chosen],
            self.n_documents,
            config,
        )


def first_pass(
    records: Iterable[Record],
    rules: SpanRules,
    spill: Callable[[pa.RecordBatch], None],
    jobs: int,
    progress: Callable[[str, int], None],
    engine: Engine | None = None,
) -> CountedForms:
    """Tokenise all documents with text, hand their tokens to ``spill``, count their forms."""
    counts = FormCounts()
    n_documents = n_empty = missing_cells = 0
    html = np.zeros(len(HtmlCounts()), dtype=np.int64)

    def with_text() -> Iterable[Record]:
        nonlocal n_empty, missing_cells
        for record in records:
            missing_cells += record.missing_cells
            if record.text and not record.text.isspace():
                yield record
            else:
                n_empty += 1

    for batch, tokens in tokenised(with_text(), rules, jobs, engine):
        per_document = tokens.tokens_per_document
        spill(
            pa.record_batch(
                [
                    pa.array([record.id for record in batch], pa.large_string()),
                    pa.array([record.text for record in batch], pa.large_string()),
                    lists(counts.add(tokens), per_document),
                    lists(tokens.starts, per_document),
                    lists(tokens.lengths, per_document),
                ],
                schema=TOKENS,
            )
        )
        n_documents += len(batch)
        html += tokens.html
        progress("reading", n_documents)
    n_forms = len(counts.numbers)
    return CountedForms(
        list(counts.numbers),
        counts.counts[:n_forms],
        counts.document_counts[:n_forms],
        n_documents,
        n_empty,
        missing_cells,
        HtmlCounts(*html.tolist()),
    )


class SecondPass:
    """Encodes the spilled tokens by a vocabulary, and adds up the summary."""

    def __init__(self, forms: CountedForms, rules: SpanRules, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._forms = forms
        self._rules = rules
        self._codes = rules.codes(forms.forms, vocabulary)
        self.n_documents = self._n_wordless = self._n_words = self._n_spans = self._longest = 0

    def encode(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of tokens to rows of words; documents without a known word are left out."""
        forms = batch["forms"]
        layout = lay_out_spans(self._codes[values_of(forms)], lengths_of(forms))
        documents = layout.documents
        starts = values_of(batch["starts"])[layout.tokens]
        ends = starts + values_of(batch["lengths"])[layout.tokens]
        ids, texts = batch["id"], batch["text"]
        kept = documents.spans_per_document > 0
        if not kept.all():
            ids, texts = ids.filter(pa.array(kept)), texts.filter(pa.array(kept))
            documents = Documents(
                documents.words, documents.span_lengths, documents.spans_per_document[kept]
            )
        self.n_documents += documents.n_documents
        self._n_wordless += int((~kept).sum())
        self._n_words += documents.n_words
        self._n_spans += documents.n_spans
        self._longest = max(self._longest, int(documents.span_lengths.max(initial=0)))
        return document_batch(ids, texts, documents, starts, ends)

    def summary(self, bad_lines: BadLines, duplicates: DuplicateIds, copies: Copies) -> Summary:
        """The counts of the whole corpus."""
        html = self._forms.html
        forms, counts = self._forms.forms, self._forms.counts
        is_stop = np.array([form in self._rules.stop_words for form in forms], dtype=bool)
        is_word = np.array([form != MARK for form in forms], dtype=bool)
        allowed = self._rules.may_be_words(forms)
        unknown = np.flatnonzero(allowed & (self._codes < 0))
        by_count = sorted(unknown.tolist(), key=lambda i: (-counts[i], forms[i]))
        return Summary(
            documents_read=self._forms.n_documents + self._forms.n_empty,
            documents=self.n_documents,
            dropped_empty=self._forms.n_empty,
            dropped_no_known_word=self._n_wordless,
            skipped_lines=bad_lines.count,
            skipped_examples=list(bad_lines.examples),
            duplicate_ids=duplicates.count,
            duplicate_examples=list(duplicates.examples),
            words_read=int(counts[is_word].sum()),
            stop_words=int(counts[is_stop].sum()),
            never_words=int(counts[is_word & ~is_stop & ~allowed].sum()),
            unknown_words=int(counts[unknown].sum()),
            words=self._n_words,
            vocabulary=len(self.vocabulary),
            spans=self._n_spans,
            longest_span=self._longest,
            most_frequent_unknown=[(forms[i], int(counts[i])) for i in by_count[:MOST_UNKNOWN]],
            missing_cells=self._forms.missing_cells,
            copies=copies.n_exact,
            near_copies=copies.n_near,
            html_documents=html.documents,
            html_tags=html.tags,
            html_entities=html.entities,
        )
