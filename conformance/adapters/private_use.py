"""torch with a device of PrivateUse1, which private_use.cpp registers: to build it takes a minute.

It needs a C++ compiler and ninja. The device is called npu; its memory is that of the host.
"""

from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils import backend_registration, cpp_extension

from ..adapter import Adapter

DEVICE = "npu"


def _setup() -> None:
    backend_registration.rename_privateuse1_backend(DEVICE)
    members = {
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "_is_in_bad_fork": False,
    }
    device_module = ModuleType(f"torch.{DEVICE}")
    for name, value in members.items():
        setattr(device_module, name, lambda value=value: value)
    register: Any = torch._register_device_module
    register(DEVICE, device_module)
    backend_registration.generate_methods_for_privateuse1_backend()
    source = Path(__file__).with_suffix(".cpp")
    # Torch's errors name the file, without the folder that it is in here.
    flags = ["-O0", f"-fmacro-prefix-map={source.parent}/="]
    cpp_extension.load("private_use", [str(source)], extra_cflags=flags, is_python_module=False)


adapter = Adapter(torch, setup=_setup, device=DEVICE)
