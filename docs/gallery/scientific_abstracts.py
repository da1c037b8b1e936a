"""# Scientific abstracts"""

# %%
# CiteULike is a collection of titles and abstracts that researchers have bookmarked. The first
# 1,200 are enough to see what a model makes of technical terms. `segtopic data` lists the
# collections that segtopic knows by name.
import sys

import pandas as pd

from segtopic import SegTopic
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.errors import SegtopicError

try:
    corpus = prepare_corpus(CorpusConfig(data="citeulike", limit=1200)).load()
except SegtopicError as error:
    sys.exit(f"this page needs the collection 'citeulike': {error}")
abstracts = pd.Series(corpus.texts())
print(f"{len(abstracts):,} abstracts, {corpus.summary.words:,} words")

# %%
# Parameters have the names of the settings of `segtopic train`; what has no parameter of its own,
# such as the reading of hyphens, goes through `settings`.
held_out = abstracts.sample(100, random_state=0)
known = abstracts.drop(held_out.index)
model = SegTopic(
    n_topics=30,
    vocabulary_size=6_000,
    min_df=3,
    max_df=0.2,
    settings={"split_hyphens": True, "corrected": "no"},
    random_state=0,
).fit(known)
print(f"{model.n_topics_} topics; held-out abstracts: {model.score(held_out):.3f} nats a word")

# %%
# ## Fields of research
info = model.get_topic_info()
for count, phrases in info[["Count", "Representation"]].head(12).to_numpy():
    print(f"{count:3d}  {', '.join(phrases[:5])}")

# %%
# Thirty are many to look at. Topics that are alike can be taken together: their shares add up, the
# model and its likelihood stay as they are, and `merge_topics([])` parts them again.
model.reduce_topics(10)
for topic, share, phrases in model.get_topic_info()[
    ["Topic", "Share", "Representation"]
].to_numpy():
    print(f"{topic:3d}  {share:5.1%}  {', '.join(phrases[:5])}")
model.merge_topics([])

# %%
# ## A field of one's own
#
# Where something special is looked for, seeds say so before the training. They are a prior: what
# the documents say against them wins.
seeded = SegTopic(
    n_topics=30,
    vocabulary_size=6_000,
    min_df=3,
    max_df=0.2,
    settings={"split_hyphens": True, "corrected": "no"},
    seeds={"Networks": ["small world", "scale free"], "Sleep": ["sleep", "memory"]},
    random_state=0,
).fit(known)
for topic in (0, 1):
    found = ", ".join(phrase for phrase, *_ in seeded.top_phrases(topic, n=7))
    print(f"{seeded.get_feature_names_out()[topic]}: {found}")

# %%
# ## Technical terms
#
# The phrases that the model reads most often in the held-out abstracts, and how sure it is of them.
found = pd.DataFrame(
    [
        (" ".join(phrase.words), phrase.probability)
        for phrases in model.segment(held_out)
        for phrase in phrases
        if len(phrase.words) > 1
    ],
    columns=["phrase", "probability"],
)
terms = found.groupby("phrase")["probability"].agg(["count", "mean"])
print(terms.sort_values(["count", "mean"], ascending=False).head(15).round(2).to_string())

# %%
# What single abstracts are about, by their key phrases.
for title, keys in zip(held_out[:6], model.keyphrases(held_out[:6], n=3), strict=True):
    print(f"{title.splitlines()[0][:60]:60} | {', '.join(key.text for key in keys)}")

# %%
# ## New abstracts arrive
#
# `partial_fit` goes on with the documents that have come in: the vocabulary stays, the phrases are
# counted in, and the weights are trained a little further.
arrived, later = held_out[:60], held_out[60:]
before = model.score(later)
model.partial_fit(arrived)
print(f"later abstracts: {before:.3f} before, {model.score(later):.3f} after 60 new ones")
