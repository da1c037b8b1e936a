"""# News in five minutes"""

# %%
# Three hundred stories of the Australian Broadcasting Corporation from the years 2000 and 2001 come
# with gensim, which segtopic installs. Any list of strings would do as well.
from segtopic import SegTopic, plots
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
# how many of the stories it is the largest part. In a notebook, `plots.overview(model)` draws the
# same.
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
# Their topics are shares that sum to one. As a table, each topic is a column under its name; a name
# given by hand is used from then on, here and on every page.
model.name_topics({int(info["Topic"][0]): "The largest topic"})
shares = model.set_output(transform="pandas").transform(new)
print(shares.iloc[:5, :3].round(2).to_string(), "\n")
documents = model.get_document_info(new)
for text, name, share in documents[["Document", "Name", "Probability"]].head(5).to_numpy():
    print(f"{share:4.0%} {name:36.36} | {text[:52]} ...")

# %%
# Their phrases come with their place in the text, and with the probability that just these words
# are one phrase. `plots.document(model, text)` shows them marked in the text.
text = new[4]
for phrase in model.segment(text):
    if len(phrase.words) > 1:
        print(f"{phrase.probability:4.2f}  {phrase.start:4d}-{phrase.end:<4d}  {phrase.text}")
marked = plots.document(model, text)

# %%
# Which of them say what the story is about?
for key in model.keyphrases(text, n=5):
    print(f"{key.score:6.2f}  {key.text}")

# %%
# ## Find
#
# Stories like a text, and phrases by their letters.
finder = model.finder()
for found in finder.like_text("Fires threaten homes near Sydney.", n=3):
    print(f"{found.score:.2f}  {known[found.number][:70]} ...")
print([f"{phrase.text} ({phrase.count})" for phrase in finder.phrases("union", n=5)])

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
# model.report("news.html")  # one page with all of this, to open or to send
# ```
#
# The folder holds plain files (settings, words, weights) that every command reads, too: `segtopic
# topics news`, `segtopic segment news story.txt`, `segtopic serve news`.
