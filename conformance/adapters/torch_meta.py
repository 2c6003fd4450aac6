"""torch on meta: everything but elements and addresses, held against torch on the CPU."""

import torch

from ..adapter import Adapter

adapter = Adapter(torch, device="meta")
