"""Texts of a small language that nobody speaks, with known phrases.

A sentence is "DET [MODIFIER] NOUN VERB PREPOSITION DET [MODIFIER] NOUN"; sometimes a name of two
parts stands for a noun. The phrases are what a reader would mark: modifier and noun, and names.
"""

import numpy as np

FUNCTION_WORDS = frozenset(["ta", "ti", "tu", "po", "pe", "pa", "pu"])
DETERMINERS, PREPOSITIONS = ["ta", "ti", "tu"], ["po", "pe", "pa", "pu"]


def _words(ending, n_words, random):
    letters = list("bdfgklmnrsv")
    vowels = list("aeiou")
    made = set()
    while len(made) < n_words:
        made.add("".join(random.choice(x) for x in (letters, vowels, letters, vowels)) + ending)
    return sorted(made)


def planted(n_sentences=4000, seed=0):
    """Texts, and for each of them its phrases as they stand there."""
    random = np.random.default_rng(seed)
    nouns, verbs = _words("on", 240, random), _words("esk", 60, random)
    modifiers, names = _words("al", 60, random), _words("ix", 80, random)
    texts, found = [], []
    for _ in range(n_sentences // 4):
        sentences, phrases = [], []
        for _ in range(4):
            groups = []
            for _ in range(2):
                kind = random.random()
                if kind < 0.2:
                    group = " ".join(random.choice(names, 2)).title()
                    phrases.append(group)
                    groups.append(group)
                    continue
                own = [str(random.choice(nouns))]
                if kind < 0.6:
                    own.insert(0, str(random.choice(modifiers)))
                    phrases.append(" ".join(own))
                groups.append(" ".join([str(random.choice(DETERMINERS)), *own]))
            verb, preposition = random.choice(verbs), random.choice(PREPOSITIONS)
            # A word before the sentence, so that a name that begins it is not at its beginning.
            sentences.append(
                f"{random.choice(verbs)} {groups[0]} {verb} {preposition} {groups[1]}."
            )
        texts.append(" ".join(sentences))
        found.append(phrases)
    return texts, found
