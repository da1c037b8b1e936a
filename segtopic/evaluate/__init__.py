"""How well a model does: predictive likelihood, baselines, intervals, coherence, comparison."""
