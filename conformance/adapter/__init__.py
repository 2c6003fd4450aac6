"""What an author tells the suite of a library that is not in everything like torch.

A module with an adapter is a subject::

    # held_by_torch.py
    import mylib
    from conformance.adapter import Adapter

    adapter = Adapter(mylib, tensor=mylib.Array, elements=lambda x: x.numpy())

    $ python -m conformance run --subject held_by_torch

`FACTS` lists what the suite asks of a tensor. A library that lacks an optional fact needs no
adapter for that: the fact is not asked, and the report counts how often.
"""

from .declaration import Adapter as Adapter, Namespace as Namespace
from .facts import BEYOND_VALUES as BEYOND_VALUES, FACTS as FACTS, Fact as Fact
