"""The page that lives: a run in, a local page and a JSON interface out.

:mod:`segtopic.serve.reader` reads texts and :mod:`segtopic.serve.library` finds documents like
them; neither knows of the network. :mod:`segtopic.serve.app` is what can be asked for,
:mod:`segtopic.serve.guard` who may ask, :mod:`segtopic.serve.workshop` when it is answered, and
:mod:`segtopic.serve.server` where. FastAPI and uvicorn come with ``pip install segtopic[serve]``.
"""
