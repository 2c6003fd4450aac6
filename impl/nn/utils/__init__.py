"""torch.nn.utils: tools for modules and batches."""

from . import rnn as rnn
