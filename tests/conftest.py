import os

import torch
from hypothesis import settings

# Read at the first product of torch. Some virtual machines announce the processor's tiles (AMX) and
# end a process that uses them; rounded products are made without them here.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
settings.register_profile("default", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
# Tensors as small as here are not worth a second thread, and the suite runs in two processes.
torch.set_num_threads(1)
