"""Where matrix products may be rounded: numbers in, a context that rounds them or does not, out.

In training, the products over the vocabulary of a single-precision model are made in ``bfloat16``
where the processor has instructions for it: they take a quarter of the time, and the gradients
change by less than a thousandth. Everywhere else, and in whatever is measured or shown, nothing is
rounded.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor


def rounded_products(values: Tensor, training: bool) -> torch.autocast:
    """For products with these numbers."""
    fast = values.device.type == "cpu" and values.dtype == torch.float32 and _has_bfloat16()
    return torch.autocast(values.device.type, torch.bfloat16, enabled=training and fast)


@cache
def _has_bfloat16() -> bool:
    """Whether the processor multiplies such numbers itself; in software they are slower."""
    told = getattr(torch.cpu, "get_capabilities", None)  # older versions of torch do not tell
    capabilities: Mapping[str, Any] = told() if told else {}
    return any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16"))
