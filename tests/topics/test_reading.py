from segtopic.topics.ranking import labels, readable

COURT, SUPREME, POLICE, SAID, HIGH = range(5)


def test_the_whole_stands_for_its_parts():
    phrases = [(COURT,), (POLICE,), (SUPREME,), (SUPREME, COURT)]
    assert readable(phrases, [4.0, 3.9, 3.8, 3.5], [100, 90, 30, 25]) == [3, 1]


def test_a_rare_or_less_relevant_whole_does_not():
    phrases = [(POLICE,), (POLICE, SAID)]
    assert readable(phrases, [4.0, 3.5], [100, 9]) == [0]  # rare
    assert readable(phrases, [4.0, 3.1], [100, 90]) == [0]  # less relevant
    assert readable(phrases, [4.0, 3.2], [100, 10]) == [1]


def test_parts_of_what_is_listed_are_left_out():
    phrases = [(SUPREME, COURT), (COURT,), (HIGH, COURT), (COURT, SUPREME)]
    assert readable(phrases, [4.0, 3.0, 2.0, 1.0], [1, 1, 1, 1]) == [0, 2, 3]


def test_labels_are_unique():
    topics = [["a", "b", "c"], ["a", "b", "d"], ["a", "b"], ["x"], ["x"]]
    found = labels(topics)
    assert found == ["a, b", "a, b, d", "a, b (3)", "x", "x (5)"]
    assert len(set(found)) == len(topics)
