"""# Phrases for another topic model"""

# %%
# A fitted model can be called: a text in, its phrases out, with their words joined. So it can take
# the place of the tokeniser in front of any other model.
from gensim.corpora import Dictionary
from gensim.models import LdaModel
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from segtopic import SegTopic
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus

stories = list(prepare_corpus(CorpusConfig(data="lee")).load().texts())
phrases = SegTopic(n_topics=20, min_df=2, max_df=0.35, random_state=0).fit(stories)
print(stories[1][:165], "...\n")
print(phrases(stories[1])[:14])

# %%
# ## scikit-learn
#
# `CountVectorizer(analyzer=phrases)` counts phrases in place of words. Here they are factorised. In
# the texts that it was trained on, the model remembers even phrases that stood there only once;
# `min_df` drops those.
pipeline = make_pipeline(
    CountVectorizer(analyzer=phrases, min_df=3),
    TfidfTransformer(),
    NMF(n_components=8, random_state=0, max_iter=500),
).fit(stories)
names = pipeline[0].get_feature_names_out()
for topic in pipeline[-1].components_:
    print(", ".join(names[topic.argsort()[::-1][:7]]))

# %%
# What clones its parts, such as `GridSearchCV`, would clone the model without what it has learned;
# there, `CountVectorizer(analyzer=phrases.tokenize)` keeps it.
search = GridSearchCV(
    make_pipeline(
        CountVectorizer(analyzer=phrases.tokenize, min_df=3),
        LatentDirichletAllocation(random_state=0),
    ),
    {"latentdirichletallocation__n_components": [5, 10, 20]},
    cv=2,
).fit(stories)
print("best for LDA:", search.best_params_)

# %%
# ## gensim
#
# The phrases of each text are what gensim calls a tokenised corpus.
tokens = [phrases(story) for story in stories]
dictionary = Dictionary(tokens)
dictionary.filter_extremes(no_below=3, no_above=0.25)
bags = [dictionary.doc2bow(story) for story in tokens]
lda = LdaModel(bags, num_topics=8, id2word=dictionary, passes=10, random_state=0)
for _, words in lda.show_topics(8, 7, formatted=False):
    print(", ".join(word for word, _ in words))

# %%
# ## BERTopic
#
# BERTopic describes its clusters by what its vectorizer counts:
#
# ```python
# BERTopic(vectorizer_model=CountVectorizer(analyzer=phrases)).fit(stories)
# ```
