"""# Ten years of abstracts"""

# %%
# The ACL Anthology has the papers of computational linguistics. How has the field changed, and
# where? Here are 273 abstracts of each year from 2016 to 2026; the venue of a paper stands in its
# id, in one way until 2019 and in another since then.
import sys

import pandas as pd

from segtopic import SegTopic
from segtopic.config import SourceConfig
from segtopic.corpus.sources import locate
from segtopic.errors import SegtopicError
from segtopic.explore.changes import sparkline

try:
    source = locate(SourceConfig(data="acl"))
except SegtopicError as error:
    sys.exit(f"this page needs the collection 'acl': {error}")
BEFORE_2020 = {"P": "acl", "D": "emnlp", "N": "naacl", "C": "coling", "L": "lrec", "S": "semeval"}
BEFORE_2020 |= {"E": "eacl", "K": "conll", "Q": "tacl", "R": "ranlp", "I": "ijcnlp"}
papers = pd.read_json(source.path, lines=True).groupby("year").sample(273, random_state=0)
papers["venue"] = [
    BEFORE_2020.get(name[0], "workshops") if name[0].isalpha() else name.split(".")[1].split("-")[0]
    for name in papers["id"]
]
print(f"{len(papers):,} abstracts; the largest venues:")
print(papers["venue"].value_counts().head(6).to_string())

# %%
# One model is trained on all years, so a topic means the same in each.
model = SegTopic(n_topics=30, random_state=0).fit(papers["text"])
for topic, share, phrases in (
    model.get_topic_info()[["Topic", "Share", "Representation"]].head(12).to_numpy()
):
    print(f"{topic:3d}  {share:5.1%}  {', '.join(phrases[:5])}")
common = model.common_shares(papers["text"]).mean()
print(f"in no topic, because all abstracts have them: {common:.0%} of the words")

# %%
# ## What rose, and what fell
#
# The share of a topic in the abstracts of each year, with 95 % intervals over abstracts.
over_time = model.topics_over_time(papers["text"], papers["year"])


def interval(topic, place):
    return f"{topic.share[place]:5.1%} [{topic.low[place]:5.1%}, {topic.high[place]:5.1%}]"


by_change = sorted(over_time.topics, key=lambda topic: -topic.change)
for topic in (*by_change[:4], *by_change[-4:]):
    print(
        f"{sparkline(topic.share)}  {interval(topic, 0)}  {interval(topic, -1)}  {topic.name:.40}"
    )

# %%
# ## The rise of large language models
#
# A topic's own phrases change, too: what this one was about in each year.
rising = next((each for each in by_change if "large language models" in each.name), by_change[0])
for year, share, phrases in zip(over_time.values, rising.share, rising.phrases, strict=True):
    print(f"{year}  {share:5.1%}  {', '.join(phrases[:4])}")

# %%
# The phrase itself, in the abstracts, without any model: how many of a hundred have it.
has_it = papers["text"].str.contains("large language model", case=False)
print((100 * has_it.groupby(papers["year"]).mean()).round(1).to_string())

# %%
# ## By venue
#
# Where each of the topics that changed most has its largest and its smallest share.
by_venue = model.topics_by_group(papers["text"], papers["venue"], most=8)
shares = {topic.topic: topic for topic in by_venue.topics}
for changed in (*by_change[:4], *by_change[-4:]):
    topic = shares[changed.topic]
    order = sorted(range(len(by_venue.values)), key=lambda place: topic.share[place])
    least, most = order[0], order[-1]
    print(
        f"{topic.name:30.30}  most {by_venue.values[most]:9.9} {interval(topic, most)}"
        f"  least {by_venue.values[least]:9.9} {interval(topic, least)}"
    )

# %%
# ## The same from the command line
#
# With a column `venue` in the file, one command trains and one writes a page with small charts of
# all topics; `segtopic topics` prints tables.
#
# ```
# segtopic train papers.csv --n-topics 30
# segtopic topics runs/papers --time-column year
# segtopic report runs/papers --time-column year --group-column venue
# ```
