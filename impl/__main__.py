"""``python -m impl program.py``: run a program in which ``import torch`` gives impl."""

from ._runtime.run_program import main

if __name__ == "__main__":
    main()
