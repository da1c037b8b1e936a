"""A trained model in, documents that it has made up out."""

from segtopic.sample.sampler import DocumentSampler, SampledDocument

__all__ = ["DocumentSampler", "SampledDocument"]
