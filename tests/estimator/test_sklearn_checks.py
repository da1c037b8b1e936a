"""scikit-learn's own checks.

``check_estimator`` runs none of them on an estimator of texts: its data are tables of numbers. So
they are run through :class:`tests.estimator.numbers.SegTopicOfNumbers`, which spells each row as a
text. What then only tests how a table is read, and not the estimator, is listed with the reason.
"""

import warnings

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_set_output_transform,
    check_transformer_get_feature_names_out,
    estimator_checks_generator,
)

from segtopic import SegTopic
from tests.estimator.numbers import SegTopicOfNumbers

DOES_NOT_APPLY = {
    "check_array_api_input": "texts are not arrays of an array API",
    "check_complex_data": "there are no complex numbers in a list of texts",
    "check_dtype_object": "is about objects that are numbers; test_inputs.py is about the others",
    "check_estimators_dtypes": "texts have no float32 and int64",
    "check_estimators_nan_inf": "there is no infinity; missing texts are in test_inputs.py",
    "check_estimator_sparse_array": "texts are not sparse; see test_inputs.py",
    "check_estimator_sparse_matrix": "texts are not sparse; see test_inputs.py",
    "check_estimator_sparse_tag": "texts are not sparse; see test_inputs.py",
    "check_f_contiguous_array_estimator": "a list of texts has one dimension",
    "check_fit1d": "wants an error for one dimension, which is what texts have",
    "check_fit2d_1feature": "texts have no features",
    "check_fit2d_predict1d": "wants an error for one dimension, which is what texts have",
    "check_n_features_in": "texts have no features, so there is no n_features_in_",
    "check_n_features_in_after_fitting": "texts have no features, so there is no n_features_in_",
    "check_positive_only_tag_during_fit": "texts are not negative",
}
FURTHER_CHECKS = (
    check_set_output_transform,
    check_transformer_get_feature_names_out,
)


def of_numbers():
    return SegTopicOfNumbers(
        n_topics=2,
        hidden_size=4,
        encoder_size=4,
        epochs=1,
        batch_size=100,
        refine_steps=2,
        random_state=0,
    )


def name_of(check):
    return getattr(check, "func", check).__name__


ALL_CHECKS = [check for _, check in estimator_checks_generator(of_numbers())]


def test_texts_are_what_keeps_scikit_learn_from_running_its_checks():
    with pytest.warns(SkipTestWarning, match="Can't test estimator SegTopic which requires input"):
        names = [name_of(check) for _, check in estimator_checks_generator(SegTopic())]
    assert names == ["check_estimator_cloneable"]
    tags = get_tags(SegTopic()).input_tags
    assert tags.string
    assert tags.one_d_array
    assert not tags.two_d_array


def test_every_check_that_does_not_apply_is_one_of_scikit_learns():
    assert DOES_NOT_APPLY.keys() <= {name_of(check) for check in ALL_CHECKS}


@pytest.mark.parametrize(
    "check", [check for check in ALL_CHECKS if name_of(check) not in DOES_NOT_APPLY], ids=name_of
)
def test_scikit_learns_check(check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(of_numbers())


@pytest.mark.parametrize("check", FURTHER_CHECKS, ids=name_of)
def test_scikit_learns_check_of_names(check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check("SegTopicOfNumbers", of_numbers())
