"""A trained model without its segments: every word drawn from its document's own distribution.

The topics are inferred from the observed words as for the model's own predictions. Each scored word
has the probability that the document's topics and background give it as a first word. The urn is
left to whoever builds on this, because it has to be tuned anew.
"""

from dataclasses import dataclass

import numpy as np
import torch

from segtopic.evaluate.heldout import FloatArray, HeldOut
from segtopic.model.heldout import HeldOutBatches
from segtopic.model.inference import encoder_mean, refine
from segtopic.model.topic_model import TopicModel


@dataclass(frozen=True)
class DocumentWords:
    """The distributions of documents over words that a model infers.

    Attributes:
        model: The trained model.
        refine_steps: Gradient steps on the observed words.
    """

    model: TopicModel
    refine_steps: int

    def word_log_probabilities(self, held_out: HeldOut) -> FloatArray:
        """See :class:`segtopic.evaluate.baselines.baseline.Baseline`."""
        self.model.eval()
        max_length = self.model.scorer.max_length
        found = [np.zeros(0)]
        for observed, scored in HeldOutBatches(held_out.observed, held_out.scored, max_length):
            if not scored.levels:
                continue
            latent = encoder_mean(self.model, observed)
            latent = refine(self.model, latent, observed, self.refine_steps)
            with torch.no_grad():
                by_topics = self.model.score_bags(latent.zeta, scored)[scored.node[:, 0]]
                words = self.model.with_background_and_urn(
                    by_topics, latent.background, scored.document_of_word, urn=None
                )
            found.append(words.double().numpy(force=True))
        return np.concatenate(found)
