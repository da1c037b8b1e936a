"""# News in five minutes"""

# %%
# Three hundred stories of the Australian Broadcasting Corporation from the years 2001 and 2002 come
# with segtopic. Any list of strings would do as well.
from segtopic import SegTopic
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus

stories = list(prepare_corpus(CorpusConfig(data="lee")).load().texts())
known, new = stories[:280], stories[280:]
print(len(stories), "stories; the first one begins:")
print(stories[0][:90], "...")

# %%
# One line learns the topics and, together with them, the phrases that they are made of. Words of
# a single story, and words of every third story such as "said", tell little about topics.
model = SegTopic(n_topics=20, min_df=2, max_df=0.35, random_state=0).fit(known)
print(f"{model.n_topics_} topics, {len(model.vocabulary_):,} words")

# %%
# ## What is in the news?
#
# A topic is described by the phrases that are more probable in it than elsewhere. `Count` says of
# how many of the stories it is the largest part.
info = model.get_topic_info()
for topic, count, phrases in info[["Topic", "Count", "Representation"]].head(10).to_numpy():
    print(f"{topic:3d}  {count:3d} stories  {', '.join(phrases[:5])}")

# %%
# Each phrase has an exact probability, and a count in the training text.
topic = int(info["Topic"][5])
for phrase, probability, count in model.top_phrases(topic, n=6):
    print(f"{probability:8.5f}  {count:4d} x  {phrase}")

# %%
# ## New stories
#
# Their topics are shares that sum to one.
theta = model.transform(new)
documents = model.get_document_info(new)
for text, name, share in documents[["Document", "Name", "Probability"]].head(5).to_numpy():
    print(f"{share:4.0%} {name:36.36} | {text[:52]} ...")

# %%
# Their phrases come with their place in the text, and with the probability that just these words
# are one phrase.
text = new[4]
for phrase in model.segment(text):
    if len(phrase.words) > 1:
        print(f"{phrase.probability:4.2f}  {phrase.start:4d}-{phrase.end:<4d}  {phrase.text}")

# %%
# ## How good is it?
#
# The first three quarters of each new story are read, the last quarter is predicted. The more
# probable its words, the better the model; a perplexity of 800 is as unsure as a choice among 800
# equally probable words. The floor is a model that knows neither topics nor phrases.
floor = SegTopic(n_topics=1, max_segment_length=1, min_df=2, max_df=0.35, random_state=0)
for name, one in [("topics and phrases", model), ("neither", floor.fit(known))]:
    print(f"{name:18}  {one.score(new):.3f} nats a word: unsure among {one.perplexity(new):,.0f}")

# %%
# ## Keep it
#
# ```python
# model.save("news")
# model = SegTopic.load("news")
# ```
#
# The folder holds plain files (settings, words, weights) that `segtopic segment news story.txt`
# reads, too.
