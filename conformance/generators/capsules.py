"""DLPack capsules with changed headers, and producers that accept few arguments."""

import itertools

_READER = (
    "import ctypes",
    "api = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)",
    "header = api(('PyCapsule_GetPointer', ctypes.pythonapi))(c, {name})",
)
"""The steps that find the header of the capsule ``c``."""

_FIELDS = {
    # Torch's process ends for OpenCL (4). Of Metal, ROCm, extensions, OneAPI and MAIA (8, 10, 12,
    # 14, 17) torch makes tensors of devices that no build for the CPU has.
    "device type": ("c_int32", 8, (-1, 0, 1, 2, 3, 5, 6, 7, 9, 11, 13, 15, 16, 18)),
    "code": ("c_uint8", 20, range(20)),
    "bits": ("c_uint8", 21, (0, 1, 2, 4, 6, 8, 16, 32, 64, 128, 255)),
    "lanes": ("c_uint16", 22, (0, 1, 2, 3, 4)),
    "strides": ("c_uint64", 32, (0,)),
    "byte offset": ("c_uint64", 40, (0, 1, 4, 8)),
    "version": ("c_uint32", -32, range(4)),
}
"""The C type, the offset from the header of the tensor, and the values of each field."""

_TYPES = itertools.product((0, 1, 2, 4, 5, 6, 8, 10, 12, 17), (1, 4, 8, 16, 32, 64, 128), (1, 2))

CHANGES = {
    **{
        f"{name} {value}": ((kind, offset, value),)
        for name, (kind, offset, values) in _FIELDS.items()
        for value in values
    },
    **{
        f"code {code}, bits {bits}, lanes {lanes}": (
            ("c_uint8", 20, code), ("c_uint8", 21, bits), ("c_uint16", 22, lanes),
        )
        for code, bits, lanes in _TYPES
    },
    "strides 0, byte offset 8": (("c_uint64", 32, 0), ("c_uint64", 40, 8)),
}  # fmt: skip
"""Changes of a header: the C type, the offset and the value of each changed field."""

CAPSULES = {
    "unversioned": ("x.__dlpack__()", "b'dltensor'", 0),
    "versioned": ("x.__dlpack__(max_version=(1, 0))", "b'dltensor_versioned'", 32),
}
"""Calls that make a capsule, its name, and the offset of the tensor's header in it."""


def program(capsule: str, change: str) -> tuple[str, ...]:
    """Return a program that changes the header of a capsule and takes a tensor from it, twice."""
    call, name, start = CAPSULES[capsule]
    writes = (
        f"setattr(ctypes.{kind}.from_address(header + {start + offset}), 'value', {value})"
        for kind, offset, value in CHANGES[change]
        if start + offset >= 0
    )
    return (
        "x = torch.arange(16)[2:4]",
        f"c = {call}",
        *(step.format(name=name) for step in _READER),
        *writes,
        "torch.from_dlpack(c)",
        "torch.from_dlpack(c)",
    )


_PRODUCER = (
    "type('P', (), {{'__dlpack__': {dlpack}, '__dlpack_device__': lambda self: {device}}})()"
)
PRODUCERS = {
    f"{label} on {device}": _PRODUCER.format(dlpack=dlpack, device=device)
    for label, dlpack in {
        "all": "lambda self, **k: (k.pop('copy', 0), x.__dlpack__(**k))[1]",
        "telling": "lambda self, **k: int(str(sorted(k.items())))",
        "no version": "lambda self, copy=None, dl_device=None: x.__dlpack__()",
        "no copy": "lambda self, dl_device=None: x.__dlpack__()",
        "nothing": "lambda self: x.__dlpack__()",
        "always none": "lambda self, **k: None",
        "none at first": "lambda self, **k: None if 'max_version' in k else x.__dlpack__()",
        "raising": "lambda self, **k: 1 / 0",
        "no capsule": "lambda self, **k: 3",
        "used capsule": (
            "lambda self, **k: (lambda c: (torch.from_dlpack(c), c)[1])(x.__dlpack__())"
        ),
        "another type error": "lambda self, **k: 'a' + 1",
    }.items()
    for device in ("(1, 0)", "(2, 0)", "(99, 1)", "(1,)", "None", "1 / 0")
}
"""Producers whose __dlpack__() accepts few arguments, or fails."""

REQUESTS = (
    "", ", copy=True", ", copy=False", ", copy=None", ", device='cpu'", ", device='meta'",
    ", device=torch.device('cpu', 0), copy=True", ", device='cuda'", ", device='cuda', copy=False",
    ", device=1", ", device='nope'", ", device='cpu', copy=False", ", device=None",
    ", device='xpu'",
)  # fmt: skip
"""Keyword arguments of from_dlpack()."""

EXPORTS = (
    "", "stream=None", "stream=-1", "stream=0", "stream=1.5", "stream='a'", "max_version=None",
    "max_version=(0, 8)", "max_version=(1, 0)", "max_version=(9, 9)", "max_version=()",
    "max_version=3", "dl_device=(1, 0)", "dl_device=(1, 0), copy=True", "dl_device=(1, 5)",
    "dl_device=(1, 0), copy=False", "dl_device=(2, 0)", "dl_device=(2, 0), copy=False",
    "dl_device=(99, 0)", "dl_device=(1,)", "dl_device=()", "dl_device=1", "dl_device=(-1, 0)",
    "dl_device=(14, 0)", "dl_device=(1.5, 0)", "dl_device=(2**40, 0)", "copy=True", "copy=False",
    "copy=1", "copy='a'", "unknown=1", "dl_device=(7, 0)", "dl_device=(10, 0), copy=False",
)  # fmt: skip
"""Keyword arguments of Tensor.__dlpack__()."""

EXPORTED = (
    "torch.ones(2)", "torch.ones(2, 3).t()", "torch.zeros(0, 3)", "torch.tensor(1.5)",
    "torch.ones(2, requires_grad=True)", "torch.tensor([1j]).conj()",
    "torch.ones(2, device='meta')",
    "torch.tensor([1.0]).to_sparse()", "torch.ones(2, dtype=torch.bool)",
    "torch.zeros(2, dtype=torch.uint8).view(torch.bits8)",
    "torch.zeros(2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)",
    "torch.zeros(2, dtype=torch.uint8).view(torch.uint4)",
)  # fmt: skip
