"""The modules of lazily resolved names, written by ``python tests/stubs/write.py``."""

PUBLIC = {
    "_geometry.layout": (
        "_mkldnn channels_last channels_last_3d contiguous_format jagged legacy_contiguous_format"
        " preserve_format sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr strided"
    ),
    "_legacy.storage_types": (
        "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage"
        " ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage LongStorage"
        " QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage ShortStorage"
    ),
    "_legacy.tensor_types": (
        "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor"
        " IntTensor LongTensor ShortTensor"
    ),
    "_ops.arrangement.block_diag": "block_diag",
    "_ops.arrangement.combinations": "cartesian_prod combinations",
    "_ops.arrangement.complex_parts": "complex polar",
    "_ops.arrangement.copied_parts": "split_copy split_with_sizes_copy unbind_copy",
    "_ops.arrangement.copies": (
        "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy permute_copy select_copy"
        " slice_copy squeeze_copy t_copy transpose_copy unfold_copy unsqueeze_copy"
        " view_as_complex_copy view_as_real_copy view_copy"
    ),
    "_ops.arrangement.diag": "diag",
    "_ops.arrangement.flips": "flip fliplr flipud roll rot90",
    "_ops.arrangement.frexp": "frexp",
    "_ops.arrangement.isin": "isin",
    "_ops.arrangement.narrow_copy": "narrow_copy",
    "_ops.arrangement.repeat_interleave": "repeat_interleave",
    "_ops.arrangement.scatters": (
        "as_strided_scatter diagonal_scatter select_scatter slice_inverse slice_scatter"
    ),
    "_ops.arrangement.sort": "argsort sort",
    "_ops.arrangement.triangles": "tril triu",
    "_ops.arrangement.unsafe_splits": "unsafe_chunk unsafe_split unsafe_split_with_sizes",
    "_ops.arrangement.vander": "vander",
    "_ops.common.copy": "clone fill_ zero_",
    "_ops.creation.arange": "arange eye range",
    "_ops.creation.fill": "fill",
    "_ops.creation.from_data": "as_tensor asarray from_numpy scalar_tensor tensor",
    "_ops.creation.from_file": "from_file",
    "_ops.creation.frombuffer": "frombuffer",
    "_ops.creation.like": "empty_like full_like ones_like zeros_like",
    "_ops.creation.linspace": "linspace logspace",
    "_ops.creation.triangle_indices": "tril_indices triu_indices",
    "_ops.elementwise.arithmetic": (
        "add div divide floor_divide mul multiply rsub sub subtract true_divide"
    ),
    "_ops.elementwise.binary": (
        "arctan2 atan2 copysign fmax fmin fmod gcd gcd_ heaviside hypot lcm lcm_ logaddexp"
        " logaddexp2 maximum minimum nextafter remainder xlogy xlogy_"
    ),
    "_ops.elementwise.bitwise": (
        "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor"
    ),
    "_ops.elementwise.clamp": "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_",
    "_ops.elementwise.comparisons": (
        "allclose eq equal ge greater greater_equal gt isclose le less less_equal logical_and"
        " logical_or logical_xor lt ne not_equal"
    ),
    "_ops.elementwise.power": "float_power ldexp ldexp_ pow",
    "_ops.elementwise.predicates": (
        "isfinite isinf isnan isneginf isposinf isreal logical_not signbit"
    ),
    "_ops.elementwise.ternary": "addcdiv addcmul lerp",
    "_ops.elementwise.unary": (
        "abs abs_ absolute acos acos_ acosh acosh_ angle arccos arccos_ arccosh arccosh_ arcsin"
        " arcsin_ arcsinh arcsinh_ arctan arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan"
        " atan_ atanh atanh_ bitwise_not ceil ceil_ cos cos_ cosh cosh_ digamma erf erf_ erfc erfc_"
        " erfinv exp exp2 exp2_ exp_ expm1 expm1_ fix fix_ floor floor_ frac frac_ i0 i0_ lgamma"
        " log log10 log10_ log1p log1p_ log2 log2_ log_ neg neg_ negative negative_ positive"
        " reciprocal reciprocal_ relu relu_ rsqrt rsqrt_ sgn sigmoid sigmoid_ sign sin sin_ sinc"
        " sinc_ sinh sinh_ sqrt sqrt_ square square_ tan tan_ tanh tanh_ trunc trunc_"
    ),
    "_ops.elementwise.unary_scalars": (
        "deg2rad deg2rad_ logit logit_ nan_to_num nan_to_num_ rad2deg rad2deg_ round round_"
    ),
    "_ops.indexing.contains": "get_device is_nonzero",
    "_ops.indexing.gather": "gather",
    "_ops.indexing.index_add": "index_add",
    "_ops.indexing.index_copy": "index_copy",
    "_ops.indexing.index_fill": "index_fill",
    "_ops.indexing.index_select": "index_select",
    "_ops.indexing.indexing": "index_put index_put_",
    "_ops.indexing.masked_fill": "masked_fill",
    "_ops.indexing.masked_scatter": "masked_scatter",
    "_ops.indexing.masked_select": "masked_select",
    "_ops.indexing.nonzero_static": "nonzero_static",
    "_ops.indexing.put": "put",
    "_ops.indexing.take": "take",
    "_ops.indexing.take_along_dim": "take_along_dim",
    "_ops.indexing.where": "argwhere nonzero where",
    "_ops.linalg.distances": "cdist",
    "_ops.linalg.pseudoinverse": "pinverse",
    "_ops.linalg.python_norm": "norm",
    "_ops.linalg.solvers": "det inverse slogdet",
    "_ops.methods.autograd": "detach detach_",
    "_ops.methods.inspection": (
        "is_complex is_conj is_distributed is_floating_point is_inference is_neg is_same_size"
        " is_signed numel"
    ),
    "_ops.methods.numpy_dlpack": "from_dlpack to_dlpack",
    "_ops.products.batches": "addbmm baddbmm bmm",
    "_ops.products.composed": "chain_matmul inner kron tensordot",
    "_ops.products.cross": "cross",
    "_ops.products.einsum": "einsum",
    "_ops.products.matmul": "matmul",
    "_ops.products.matrices": "addmm mm",
    "_ops.products.outer": "addr ger outer",
    "_ops.products.vectors": "addmv addmv_ dot mv vdot",
    "_ops.random.factories": "rand rand_like randint randint_like randn randn_like randperm",
    "_ops.random.inplace": "bernoulli",
    "_ops.random.multinomial": "multinomial",
    "_ops.random.normal": "normal",
    "_ops.reduction.cumulative": "cummax cummin cumprod cumsum",
    "_ops.reduction.diff": "diff",
    "_ops.reduction.logcumsumexp": "logcumsumexp",
    "_ops.reduction.logsumexp": "logsumexp",
    "_ops.reduction.minmax": "amax amin aminmax argmax argmin max min",
    "_ops.reduction.softmax": "log_softmax softmax",
    "_ops.reduction.sums": "all any count_nonzero mean nanmean nansum prod sum",
    "_ops.reduction.trace": "trace",
    "_ops.reduction.trapezoid": "cumulative_trapezoid trapezoid trapz",
    "_ops.reduction.variance": "std std_mean var var_mean",
    "_ops.scatter.index_reduce": "index_reduce",
    "_ops.scatter.scatter": "scatter scatter_add scatter_reduce",
    "_ops.searching.buckets": "bucketize searchsorted",
    "_ops.searching.counts": "bincount",
    "_ops.searching.histc": "histc",
    "_ops.searching.histogram": "histogram",
    "_ops.searching.largest": "msort topk",
    "_ops.searching.medians": "median nanmedian",
    "_ops.searching.quantiles": "nanquantile quantile",
    "_ops.searching.ranked": "kthvalue mode",
    "_ops.sparse.construct": "sparse_coo_tensor",
    "_ops.views.cat_stack": "cat concat concatenate stack",
    "_ops.views.conjugation": (
        "_conj _conj_physical _neg_view adjoint conj conj_physical conj_physical_ imag real"
        " resolve_conj resolve_neg"
    ),
    "_ops.views.inplace": "as_strided_ resize_as_",
    "_ops.views.meshgrid": "meshgrid",
    "_ops.views.numpy_stacks": (
        "atleast_1d atleast_2d atleast_3d column_stack dsplit dstack hsplit hstack row_stack"
        " vsplit vstack"
    ),
    "_ops.views.repeat": "diag_embed diagflat tile",
    "_ops.views.views": (
        "as_strided broadcast_to chunk diagonal flatten moveaxis movedim narrow permute ravel"
        " reshape select split_with_sizes squeeze swapaxes swapdims t tensor_split transpose unbind"
        " unflatten unsqueeze view_as_complex view_as_real"
    ),
}
"""Module -> the names that it adds to `lazy_exports.PUBLIC`."""

MEMBERS = {
    "Parameter": {
        "_serialization.pickling": "__reduce_ex__",
    },
    "Tensor": {
        "_legacy.storage_types": "_typed_storage storage storage_type",
        "_legacy.tensor_types": "__new__ _make_subclass as_subclass new type type_as",
        "_ops.arrangement.diag": "diag",
        "_ops.arrangement.fill_diagonal": "fill_diagonal_",
        "_ops.arrangement.flips": "flip fliplr flipud roll rot90",
        "_ops.arrangement.frexp": "frexp",
        "_ops.arrangement.narrow_copy": "narrow_copy",
        "_ops.arrangement.repeat_interleave": "repeat_interleave",
        "_ops.arrangement.scatters": (
            "as_strided_scatter diagonal_scatter select_scatter slice_inverse slice_scatter"
        ),
        "_ops.arrangement.sort": "argsort sort",
        "_ops.arrangement.triangles": "tril tril_ triu triu_",
        "_ops.arrangement.unsafe_splits": "unsafe_chunk unsafe_split unsafe_split_with_sizes",
        "_ops.common.copy": "clone contiguous copy_ fill_ zero_",
        "_ops.creation.from_data": "new_tensor",
        "_ops.creation.like": "new_empty new_empty_strided new_full new_ones new_zeros",
        "_ops.creation.pin_memory": "is_pinned pin_memory",
        "_ops.creation.to": (
            "bfloat16 bool byte cdouble cfloat chalf char cpu cuda double float half int ipu long"
            " mtia short to xpu"
        ),
        "_ops.elementwise.arithmetic": (
            "add add_ div div_ divide divide_ floor_divide floor_divide_ mul mul_ multiply"
            " multiply_ sub sub_ subtract subtract_ true_divide true_divide_"
        ),
        "_ops.elementwise.binary": (
            "arctan2 arctan2_ atan2 atan2_ copysign copysign_ fmax fmin fmod fmod_ gcd gcd_"
            " heaviside heaviside_ hypot hypot_ lcm lcm_ logaddexp logaddexp2 maximum minimum"
            " nextafter nextafter_ remainder remainder_ xlogy xlogy_"
        ),
        "_ops.elementwise.bitwise": (
            "bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_or"
            " bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_"
        ),
        "_ops.elementwise.clamp": (
            "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_"
        ),
        "_ops.elementwise.comparisons": (
            "allclose eq eq_ equal ge ge_ greater greater_ greater_equal greater_equal_ gt gt_"
            " isclose le le_ less less_ less_equal less_equal_ logical_and logical_and_ logical_or"
            " logical_or_ logical_xor logical_xor_ lt lt_ ne ne_ not_equal not_equal_"
        ),
        "_ops.elementwise.dunders": (
            "__add__ __and__ __div__ __eq__ __floordiv__ __ge__ __gt__ __iadd__ __iand__ __idiv__"
            " __ifloordiv__ __ilshift__ __imod__ __imul__ __ior__ __ipow__ __irshift__ __isub__"
            " __itruediv__ __ixor__ __le__ __lshift__ __lt__ __mod__ __mul__ __ne__ __or__ __pow__"
            " __radd__ __rand__ __rdiv__ __rfloordiv__ __rlshift__ __rmod__ __rmul__ __ror__"
            " __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__"
            " __xor__"
        ),
        "_ops.elementwise.power": "float_power float_power_ ldexp ldexp_ pow pow_",
        "_ops.elementwise.predicates": (
            "isfinite isinf isnan isneginf isposinf isreal logical_not logical_not_ signbit"
        ),
        "_ops.elementwise.ternary": "addcdiv addcdiv_ addcmul addcmul_ lerp lerp_",
        "_ops.elementwise.unary": (
            "__abs__ __invert__ __neg__ __pos__ abs abs_ absolute absolute_ acos acos_ acosh"
            " acosh_ angle arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan"
            " arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ bitwise_not"
            " bitwise_not_ ceil ceil_ cos cos_ cosh cosh_ digamma digamma_ erf erf_ erfc erfc_"
            " erfinv erfinv_ exp exp2 exp2_ exp_ expm1 expm1_ fix fix_ floor floor_ frac frac_ i0"
            " i0_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ neg neg_ negative"
            " negative_ positive reciprocal reciprocal_ relu relu_ rsqrt rsqrt_ sgn sgn_ sigmoid"
            " sigmoid_ sign sign_ sin sin_ sinc sinc_ sinh sinh_ sqrt sqrt_ square square_ tan tan_"
            " tanh tanh_ trunc trunc_"
        ),
        "_ops.elementwise.unary_scalars": (
            "deg2rad deg2rad_ logit logit_ nan_to_num nan_to_num_ rad2deg rad2deg_ round round_"
        ),
        "_ops.indexing.contains": "__contains__ get_device is_nonzero",
        "_ops.indexing.gather": "gather",
        "_ops.indexing.index_add": "index_add index_add_",
        "_ops.indexing.index_copy": "index_copy index_copy_",
        "_ops.indexing.index_fill": "index_fill index_fill_",
        "_ops.indexing.index_select": "index_select",
        "_ops.indexing.indexing": (
            "__delitem__ __getitem__ __iter__ __setitem__ index_put index_put_"
        ),
        "_ops.indexing.masked_fill": "masked_fill masked_fill_",
        "_ops.indexing.masked_scatter": "masked_scatter masked_scatter_",
        "_ops.indexing.masked_select": "masked_select",
        "_ops.indexing.nonzero_static": "nonzero_static",
        "_ops.indexing.put": "put put_",
        "_ops.indexing.take": "take",
        "_ops.indexing.take_along_dim": "take_along_dim",
        "_ops.indexing.where": "argwhere nonzero where",
        "_ops.linalg.pseudoinverse": "pinverse",
        "_ops.linalg.python_norm": "norm",
        "_ops.linalg.solvers": "det inverse slogdet",
        "_ops.methods.autograd": "backward detach detach_ requires_grad_ retain_grad",
        "_ops.methods.inspection": (
            "__bool__ __complex__ __float__ __format__ __index__ __int__ __repr__ __reversed__"
            " dim_order is_contiguous is_same_size is_set_to item size stride tolist"
        ),
        "_ops.methods.numpy_dlpack": (
            "__array__ __array_wrap__ __cuda_array_interface__ __dlpack__ __dlpack_device__ numpy"
        ),
        "_ops.products.batches": "addbmm addbmm_ baddbmm baddbmm_ bmm",
        "_ops.products.composed": "inner kron",
        "_ops.products.cross": "cross",
        "_ops.products.matmul": "__matmul__ __rmatmul__ matmul",
        "_ops.products.matrices": "addmm addmm_ mm",
        "_ops.products.outer": "addr addr_ ger outer",
        "_ops.products.vectors": "addmv addmv_ dot mv vdot",
        "_ops.random.inplace": (
            "bernoulli bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_"
            " uniform_"
        ),
        "_ops.random.multinomial": "multinomial",
        "_ops.reduction.composed": "sum_to_size",
        "_ops.reduction.cumulative": "cummax cummin cumprod cumprod_ cumsum cumsum_",
        "_ops.reduction.diff": "diff",
        "_ops.reduction.logcumsumexp": "logcumsumexp",
        "_ops.reduction.logsumexp": "logsumexp",
        "_ops.reduction.minmax": "amax amin aminmax argmax argmin max min",
        "_ops.reduction.softmax": "log_softmax softmax",
        "_ops.reduction.sums": "all any count_nonzero mean nanmean nansum prod sum",
        "_ops.reduction.trace": "trace",
        "_ops.reduction.variance": "std var",
        "_ops.scatter.index_reduce": "index_reduce index_reduce_",
        "_ops.scatter.scatter": (
            "scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_"
        ),
        "_ops.searching.counts": "bincount",
        "_ops.searching.histc": "histc",
        "_ops.searching.histogram": "histogram",
        "_ops.searching.largest": "msort topk",
        "_ops.searching.medians": "median nanmedian",
        "_ops.searching.quantiles": "nanquantile quantile",
        "_ops.searching.ranked": "kthvalue mode",
        "_ops.searching.unique": "unique unique_consecutive",
        "_ops.sparse.table": (
            "_coalesced_ _dimI _dimV _indices _nnz _values coalesce dense_dim indices is_coalesced"
            " sparse_dim to_dense to_sparse to_sparse_coo values"
        ),
        "_ops.views.conjugation": (
            "H T _conj _conj_physical _neg_view adjoint conj conj_physical conj_physical_ imag mH"
            " mT real resolve_conj resolve_neg"
        ),
        "_ops.views.inplace": (
            "as_strided_ resize_ resize_as_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_"
            " unsqueeze_"
        ),
        "_ops.views.numpy_stacks": "dsplit hsplit vsplit",
        "_ops.views.repeat": "diag_embed diagflat repeat tile",
        "_ops.views.resize": "resize resize_as",
        "_ops.views.split_broadcast": "split unflatten",
        "_ops.views.views": (
            "as_strided broadcast_to chunk diagonal expand expand_as flatten moveaxis movedim"
            " narrow permute ravel reshape reshape_as select split_with_sizes squeeze swapaxes"
            " swapdims t tensor_split transpose unbind unfold unsqueeze view view_as"
        ),
        "_overrides.default": "__torch_function__",
        "_serialization.pickling": (
            "__deepcopy__ __dir__ __getstate__ __reduce_ex__ __setstate__ is_shared share_memory_"
        ),
    },
    "TypedStorage": {
        "_legacy.storage_casts": (
            "_to bfloat16 bool byte char complex_double complex_float double float float8_e4m3fn"
            " float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz half int long short"
        ),
    },
    "_StorageBase": {
        "_legacy.storage_casts": (
            "_to bfloat16 bool byte char complex_double complex_float double float float8_e4m3fn"
            " float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz half int long short"
        ),
    },
}
"""Class -> module -> the class members that it defines."""
