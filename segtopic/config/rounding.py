"""Whether this machine can multiply rounded numbers: a precision in, an error in one sentence out.

Some virtual machines announce the processor's tiles (AMX) and do not have them. PyTorch believes
them, and the first product of matrices in bfloat16 ends the whole process without a word. So it is
tried in a process of its own, before anything is written.
"""

import subprocess
import sys

from segtopic.errors import ConfigError

ROUNDED = "bf16"
# Small matrices end the process on such machines, larger ones raise an error.
PRODUCTS = """
import sys, torch
if sys.argv[1] == "cpu" or not torch.cuda.is_available():
    for size in (64, 300):
        numbers = torch.ones(size, size, dtype=torch.bfloat16)
        numbers @ numbers
"""


def check_rounding(precision: str, accelerator: str = "cpu") -> None:
    """Refuse a precision whose products do not work here; others are not looked at.

    Args:
        precision: Lightning's name.
        accelerator: Lightning's; only products of the processor are tried.
    """
    if not precision.startswith(ROUNDED):
        return
    tried = subprocess.run([sys.executable, "-c", PRODUCTS, accelerator], capture_output=True)
    if tried.returncode:
        raise ConfigError(
            f"precision is '{precision}', but this machine cannot multiply such numbers, whatever "
            "its processor announces; give 32-true, or set ONEDNN_MAX_CPU_ISA=AVX512_CORE_FP16 in "
            "the environment"
        )
