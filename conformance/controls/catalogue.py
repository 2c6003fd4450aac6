"""Controls: planted faults, each of which the suite must catch.

A control names one fault and the property that has to catch it.  Those of the
first kind make a subject of real torch and spoil one answer; those of the
second kind spoil the suite.  A fault that nothing catches fails the run.  The
first control of all is torch as its own subject, in which there is no fault
to find.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..comparison.tolerances import Inexact
from ..comparison.undefined_elements import Undefined
from ..core.profiles import CONTROLS as CONTROL_PROFILE
from ..core.profiles import FAULTS
from ..engine.aggregate import merge
from ..engine.execution import run_property
from ..engine.expectations import Expectation, Problem, judge
from ..engine.registry import Property
from ..engine.session import Session
from ..observation.cross_device import look_from, on_meta, without_device
from ..observation.facets import FACETS, read
from ..properties import all_properties
from .fault_injection import Fault, FaultyLibrary
from .faults import (
    arithmetic,
    autograd,
    casting,
    conversions,
    cuda,
    devices,
    layouts,
    operators,
    reductions,
    rules,
    subject,
    suite,
    surface,
    tensors,
    unary,
)

Arrange = Callable[[Session, Property], tuple[Session, Property]]


@dataclass(frozen=True)
class Control:
    """A fault, the property that must catch it, and what it must say.

    ``caught_as`` is the facet of the divergences, or the kind of the problem.
    """

    id: str
    fault: str
    property: str
    caught_as: str
    arrange: Arrange
    expectation: Expectation | None = None

    def run(self, session: Session) -> dict[str, Any]:
        """Plant the fault and see whether the property catches it, and nothing else is amiss."""
        problems = self.problems(replace(session, profile=FAULTS, stop_at_facet=self.caught_as))
        kinds = sorted({each.facet if each.kind == "divergence" else each.kind for each in problems},
                       key=str)  # fmt: skip
        return {
            "id": self.id,
            "kind": "fault",
            "fault": self.fault,
            "property": self.property,
            "caught_as": self.caught_as,
            "caught": self.caught_as in kinds,
            "found": kinds,
            "problems": len(problems),
            "example": problems[0].text if problems else None,
        }

    def problems(self, session: Session) -> Sequence[Problem]:
        """Return what is found wrong with the fault planted."""
        torch = without_device(session.oracle)
        against_torch = replace(session, oracle=torch, subject=torch, look=read)
        planted, prop = self.arrange(against_torch, all_properties()[self.property])
        record = merge(prop, run_property(planted, prop))
        return judge(
            [record.for_judging()], [self.expectation] if self.expectation else []
        ).problems


def _in_one_go(prop: Property) -> Property:
    """Return a property whose cells, if it has any, are in one part and scattered.

    So what is rare among them is met soon.
    """
    domain = prop.domain
    if domain is None:
        return prop
    return replace(prop, parts=1, domain=lambda torch: domain(torch).scattered())


def _subject(fault: Fault) -> Arrange:
    return lambda session, prop: (
        replace(session, subject=FaultyLibrary(session.oracle.root, fault)),
        _in_one_go(prop),
    )


def _torch_on_meta_for_torch(session: Session, prop: Property) -> tuple[Session, Property]:
    subject = on_meta(session.oracle)
    return replace(session, subject=subject, look=look_from(subject)), _in_one_go(prop)


def _compare(compare: Any) -> Arrange:
    return lambda session, prop: (replace(session, compare=compare), prop)


def _undefined(change: Callable[[Sequence[Undefined]], Sequence[Undefined]]) -> Arrange:
    return lambda session, prop: (replace(session, undefined=change(session.undefined)), prop)


def _inexact(change: Callable[[Sequence[Inexact]], Sequence[Inexact]]) -> Arrange:
    return lambda session, prop: (replace(session, inexact=change(session.inexact)), prop)


def _property(change: Callable[[Property], Property]) -> Arrange:
    return lambda session, prop: (session, change(prop))


def _expectation(fingerprint: str, count: int = 1) -> Expectation:
    return Expectation(
        "planted", "promotion.promote_types", "value",
        "*torch.promote_types(torch.uint8, torch.int8)", count, fingerprint, "planted", "none",
    )  # fmt: skip


def _no_fault(session: Session, prop: Property) -> tuple[Session, Property]:
    return session, prop


# fmt: off
CONTROLS = (
    Control("missing-alias", "torch.half is not there", "dtypes.names", "raises", _subject(subject.MISSING_ALIAS)),
    Control("alias-of-another", "torch.double is float32", "dtypes.names", "value", _subject(subject.ALIAS_OF_ANOTHER)),
    Control("one-dtype-more", "there is a dtype called int9", "dtypes.inventory", "value", _subject(subject.ONE_MORE_DTYPE)),
    Control("sign-flipped", "uint8.is_signed is True", "dtypes.attributes", "value", _subject(subject.SIGN_FLIPPED)),
    Control("one-for-true", "complex64.is_complex is 1", "dtypes.attributes", "value", _subject(subject.ONE_FOR_TRUE)),
    Control("copy-is-another", "a deep copy of float64 is float32", "dtypes.identity", "value", _subject(subject.COPY_IS_ANOTHER)),
    Control("equal-dtypes", "float32 equals float64", "dtypes.comparisons", "value", _subject(subject.EQUAL_DTYPES)),
    Control("settable-dtype", "attributes of a dtype can be set", "dtypes.misuse", "raises", _subject(subject.SETTABLE_DTYPE)),
    Control("callable-class", "dtype() makes a dtype", "dtypes.class_misuse", "raises", _subject(subject.CALLABLE_CLASS)),
    Control("wrong-eps", "finfo(float16).eps is twice what it is", "limits.finfo", "value", _subject(subject.WRONG_EPS)),
    Control("next-float", "finfo(bfloat16).max is the next float64", "limits.finfo", "value", _subject(subject.NEXT_FLOAT)),
    Control("digit-of-repr", "a digit is lost where finfo is printed", "limits.finfo", "repr", _subject(subject.DIGIT_OF_REPR)),
    Control("nan-for-zero", "iinfo(uint8).min is NaN", "limits.iinfo", "value", _subject(subject.NAN_FOR_ZERO)),
    Control("unequal-limits", "no finfo equals another", "limits.comparisons", "value", _subject(subject.UNEQUAL_LIMITS)),
    Control("finfo-ignores-default", "finfo() is always that of float32", "limits.default", "value", _subject(subject.FINFO_IGNORES_DEFAULT)),
    Control("hashable-limits", "finfo has a hash", "limits.misuse", "raises", _subject(subject.HASHABLE_LIMITS)),
    Control("wrong-promotion", "uint8 and int8 promote to int32", "promotion.promote_types", "value", _subject(subject.WRONG_PROMOTION)),
    Control("class-of-error", "refused promotions raise ValueError", "promotion.promote_types", "raises", _subject(subject.CLASS_OF_ERROR)),
    Control("swapped-can-cast", "can_cast takes its arguments the wrong way round", "promotion.can_cast", "value", _subject(subject.SWAPPED_CAN_CAST)),
    Control("forgets-default", "a complex scalar is complex64 although the default is float64", "promotion.scalar_kinds", "value", _subject(subject.FORGETS_DEFAULT)),
    Control("silent", "no warning for a NumPy complex scalar", "promotion.scalar_kinds", "warnings", _subject(subject.SILENT)),
    Control("large-integer", "integers from 2**63 count as int64", "promotion.scalar_values", "raises", _subject(subject.LARGE_INTEGER)),
    Control("set-although-refused", "a refused default dtype leaves float64 behind", "promotion.default_dtype", "value", _subject(subject.SET_ALTHOUGH_REFUSED)),
    Control("depends-on-order", "what promotes to float32 gives its left side", "promotion.chains", "value", _subject(subject.DEPENDS_ON_ORDER)),
    Control("message-of-error", "can_cast misspells a message", "promotion.call_forms", "message", _subject(subject.MESSAGE_OF_ERROR)),
    Control("zero-dim-ignored", "a 0-dim tensor promotes as if it had dimensions", "promotion.operands", "value", _subject(tensors.IGNORES_ZERO_DIM)),

    Control("stride-of-size-1", "empty_permuted has strides off where a dimension has size 1", "empty_permuted.layouts", "state", _subject(tensors.STRIDE_OFF)),
    Control("zero-for-nan", "the deterministic fill of empty_permuted is zero", "empty_permuted.deterministic_fill", "elements", _subject(tensors.ZERO_FILLED)),
    Control("misspelt-refusal", "empty_permuted misspells a refusal", "empty_permuted.calls", "message", _subject(tensors.MISSPELT)),
    Control("wrong-ambiguity", "what has one channel is never channels_last", "memory_formats.patterns", "value", _subject(tensors.NEEDS_CHANNELS)),
    Control("copy-for-itself", "contiguous() copies what is contiguous", "memory_formats.calls", "aliasing", _subject(tensors.ALWAYS_COPIES)),
    Control("never-ambiguous", "dim_order never says that an order is ambiguous", "memory_formats.dim_order", "raises", _subject(tensors.NEVER_AMBIGUOUS)),
    Control("copy-for-view", "t() copies", "geometry.views", "aliasing", _subject(tensors.COPY_OF_VIEW)),
    Control("lost-offset", "select() loses the offset", "geometry.views", "offset", _subject(tensors.LOST_OFFSET)),
    Control("size-of-storage", "numel() counts the elements of the storage", "geometry.attributes", "value", _subject(tensors.SIZE_OF_STORAGE)),
    Control("writes-nothing", "fill_() does nothing to what is not contiguous", "geometry.stories", "state", _subject(tensors.WRITES_NOTHING)),
    Control("writes-first", "view() sets the tensor to zero before it refuses", "geometry.refusals", "rollback", _subject(tensors.WRITES_FIRST)),
    Control("unconjugated", "t() loses the conjugate bit", "geometry.lazy_bits", "conj_neg", _subject(tensors.UNCONJUGATED)),
    Control("unnegated", "permute() loses the negative bit", "geometry.lazy_bits", "conj_neg", _subject(tensors.UNNEGATED)),
    Control("resolves-in-place", "resolve_conj() writes to the tensor's own memory", "geometry.lazy_bits", "aliasing", _subject(tensors.RESOLVES_IN_PLACE)),
    Control("writes-as-it-is", "copy_() through a conjugate view does not conjugate", "geometry.lazy_bits", "elements", _subject(tensors.WRITES_AS_IT_IS)),
    Control("float-for-int", "full() of integers is floating", "factories.calls", "dtype", _subject(tensors.FLOAT_FOR_INT)),
    Control("forgets-grad", "ones() ignores requires_grad", "factories.dtypes", "autograd", _subject(tensors.FORGETS_GRAD_OF_ONES)),
    Control("ints-for-bools", "tolist() gives integers for bools", "factories.uses", "value", _subject(tensors.INTS_FOR_BOOLS)),
    Control("double-data", "tensor() of floats is float64", "factories.data", "dtype", _subject(tensors.DOUBLE_DATA)),
    Control("unstrided-example", "a transposed tensor has the strides of the original", "geometry.examples", "value", _subject(tensors.UNTRANSPOSED)),
    Control("legacy-ignores-kind", "torch.Tensor(2, 3) is a float64 tensor", "factories.legacy", "dtype", _subject(tensors.DOUBLE_LEGACY)),
    Control("another-stream", "rand() draws once too often", "factories.streams", "elements", _subject(tensors.ANOTHER_STREAM)),
    Control("clips", "fill_() of a storage clips at 0 and 255", "storage.untyped", "value", _subject(tensors.CLIPS)),
    Control("keeps-own", "set_() copies what it should share", "storage.sharing", "aliasing", _subject(tensors.KEEPS_OWN)),
    Control("grows", "every storage says that it can grow", "storage.owners", "value", _subject(tensors.GROWS)),
    Control("to-copies", "to() copies where nothing changes", "conversions.calls", "aliasing", _subject(conversions.COPIES)),
    Control("type-without-module", "type() does not say that a type is quantized", "conversions.dtypes", "value", _subject(conversions.WITHOUT_MODULE)),
    Control("clamps-numbers", "fill_() clamps at 0", "conversions.numbers", "elements", _subject(conversions.CLAMPS)),
    Control("scalar-of-default", "scalar_tensor() does not look at dtype=", "conversions.values", "dtype", _subject(conversions.DEFAULT_DTYPE)),
    Control("any-mask", "masked_fill_() takes masks of uint8", "conversions.masked_fill", "raises", _subject(conversions.ANY_MASK)),
    Control("last-first", "what is indexed comes last first", "conversions.reads", "elements", _subject(conversions.LAST_FIRST)),
    Control("forgets-writes", "x[places] = value leaves nothing but zeros", "conversions.writes", "state", _subject(conversions.FORGETS)),
    Control("wide-ordinal", "an ordinal does not wrap at eight bits", "devices.strings", "value", _subject(devices.DOES_NOT_WRAP)),
    Control("negative-ordinal", "a negative ordinal is taken", "devices.arguments", "raises", _subject(devices.NEGATIVE_INDEX)),
    Control("renamed-class", "the class of devices is called Device", "devices.class", "value", _subject(devices.RENAMED_CLASS)),
    Control("cuda-is-cuda-0", "cuda equals cuda:0", "devices.comparisons", "value", _subject(devices.CUDA_IS_CUDA_0)),
    Control("pickled-without-ordinal", "a device loses its ordinal when it is copied", "devices.objects", "value", _subject(devices.PICKLES_WITHOUT_INDEX)),
    Control("leaking-default", "the default device stays when its context is left", "devices.modes", "value", _subject(devices.LEAKS)),
    Control("default-of-the-process", "all threads have one default device", "devices.contexts", "value", _subject(devices.OF_THE_PROCESS)),
    Control("ignores-default", "ones() is always made on the CPU", "devices.defaults", "raises", _subject(devices.IGNORES_DEFAULT)),
    Control("answers-of-meta", "a subject on meta answers as torch does there, and not as on the CPU", "factories.dtypes", "raises", _torch_on_meta_for_torch),
    Control("moved-by-itself", "stack() moves a tensor to meta by itself", "devices.meta", "raises", _subject(devices.MOVED_BY_ITSELF)),
    Control("vector-moves", "mul() moves a vector on the CPU by itself", "cuda.operands", "raises", _subject(cuda.VECTOR_MOVES)),
    Control("compared-apart", "== compares tensors on two devices", "cuda.symbols", "raises", _subject(cuda.COMPARES_APART)),
    Control("joined-apart", "cat() joins tensors on two devices", "cuda.several", "raises", _subject(cuda.JOINS_APART)),
    Control("stays-on-the-cpu", "a sum is on the CPU, wherever its tensor is", "cuda.results", "device", _subject(cuda.STAYS)),
    Control("always-the-first", "what is to be made on cuda:1 is made on cuda:0", "cuda.factories", "device", _subject(cuda.ALWAYS_THE_FIRST)),
    Control("moved-in-order", "a tensor that moves loses its strides", "cuda.moves", "stride", _subject(cuda.MOVES_AS_IF_CONTIGUOUS)),
    Control("one-device-more", "there is a CUDA device more than there are", "devices.accelerators", "value", _subject(devices.COUNTS_ONE_MORE)),
    Control("misspelt-device", "zeros() misspells that there is no CUDA", "devices.keywords", "message", _subject(devices.MISSPELT)),
    Control("digit-of-tensor", "a tensor is printed with a digit too many", "printing.repr", "repr", _subject(tensors.DIGIT_OF_TENSOR)),
    Control("no-history", "a tensor is printed without its grad_fn", "printing.views", "repr", _subject(tensors.NO_HISTORY)),

    Control("dimensioned-number", "a number promotes as a tensor with a dimension", "arithmetic.pairs", "dtype", _subject(operators.DIMENSIONED_NUMBER)),
    Control("in-place-promoted", "add_() gives what the operands promote to", "arithmetic.pairs", "dtype", _subject(operators.IN_PLACE_PROMOTED)),
    Control("unchecked-result", "mul_() writes a result of a higher kind", "arithmetic.pairs", "raises", _subject(operators.UNCHECKED)),
    Control("alpha-ignored", "add() ignores alpha", "arithmetic.alpha", "elements", _subject(operators.WITHOUT_ALPHA)),
    Control("operands-swapped", "the second operand of mul() decides the strides", "arithmetic.strides", "stride", _subject(operators.SWAPPED)),
    Control("rounded-steps", "mul() of bfloat16 and a number rounds at each step", "arithmetic.alpha", "elements", _subject(operators.ROUNDED_STEPS)),
    Control("floor-for-trunc", "div() rounds down where it is to cut off", "arithmetic.binary", "elements", _subject(operators.FLOORED)),
    Control("truncates", "float32 becomes bfloat16 by cutting off", "casting.patterns", "elements", _subject(casting.TRUNCATED)),
    Control("one-tie-up", "one tie of float16 goes the wrong way in float8_e5m2", "casting.patterns", "elements", _subject(casting.ONE_TIE_UP)),
    Control("overflows", "what is too large for float8_e4m3fn is NaN", "casting.patterns", "elements", _subject(casting.OVERFLOWS)),
    Control("saturates-not", "infinity is NaN in float8_e4m3fn", "casting.layouts", "elements", _subject(casting.INFINITY_OVERFLOWS)),
    Control("unsigned-zero", "zero loses its sign from float64 to float32", "casting.patterns", "elements", _subject(casting.UNSIGNED_ZERO)),
    Control("flushes", "what is subnormal in float32 is zero", "casting.patterns", "elements", _subject(casting.FLUSHED)),
    Control("rounds-once", "float64 becomes float16 without being float32", "casting.patterns", "elements", _subject(casting.ROUNDED_ONCE)),
    Control("wraps-directly", "float64 becomes uint8 without being int64", "casting.routes", "elements", _subject(casting.WRAPS_DIRECTLY)),
    Control("real-part", "a complex number is true if its real part is", "casting.patterns", "elements", _subject(casting.REAL_PART)),
    Control("silent-loss", "that an imaginary part is lost is not told", "casting.routes", "warnings", _subject(casting.SILENT)),
    Control("tells-again", "that an imaginary part is lost is told each time", "casting.warnings", "value", _subject(casting.WARNS_AGAIN)),
    Control("skips-last", "the last element of a vector's tail is not converted", "casting.layouts", "elements", _subject(casting.SKIPS_LAST)),
    Control("rounds-copies", "copy_ rounds where it has to cut off", "casting.geometries", "elements", _subject(casting.ROUNDS_COPIES)),
    Control("copies-anything", "copy_ into int3 does nothing and refuses nothing", "casting.refusals", "raises", _subject(casting.SKIPS_REFUSALS)),
    Control("misspelt-kernel", "type() misspells a refusal", "casting.refused_routes", "message", _subject(casting.MISSPELT)),
    Control("by-half", "float() goes through float16", "casting.named", "elements", _subject(casting.BY_HALF)),
    Control("wraps-numbers", "fill_() of what is out of range wraps", "casting.numbers", "raises", _subject(casting.WRAPS_NUMBERS)),
    Control("forgives-integers", "every integer that a float becomes is undefined", "casting.undefined", "verdict", _undefined(suite.integers_undefined)),
    Control("forgives-nan", "what should be NaN is undefined", "casting.undefined", "verdict", _undefined(suite.nans_undefined)),
    Control("unrecorded-write", "zero_() is not recorded", "autograd.writes", "raises", _subject(autograd.UNRECORDED)),
    Control("forgets-value", "fill_() does not see that its value requires a gradient", "autograd.sources", "autograd", _subject(autograd.FORGETS_VALUE)),
    Control("uncounted", "detach() shares no versions", "autograd.results", "state", _subject(autograd.UNCOUNTED)),
    Control("one-by-one", "unbind() makes its views one by one", "autograd.creations", "state", _subject(autograd.ONE_BY_ONE)),
    Control("writes-below", "fill_() writes below autograd", "autograd.stories", "state", _subject(autograd.WRITES_BELOW)),
    Control("saves-nothing", "mul_() does not keep what it changes", "autograd.saved", "warnings", _subject(autograd.SAVES_NOTHING)),
    Control("always-grad", "is_grad_enabled() is always True", "autograd.modes", "value", _subject(autograd.ALWAYS_GRAD)),
    Control("no-bool-needed", "set_grad_enabled() takes anything", "autograd.calls", "raises", _subject(autograd.NO_BOOL_NEEDED)),
    Control("equal-is-less", "what is equal is less", "arithmetic.comparisons", "elements", _subject(arithmetic.EQUAL_IS_LESS)),
    Control("logical-shift", "an int8 is shifted without its sign", "arithmetic.bitwise", "elements", _subject(arithmetic.WITHOUT_SIGN)),
    Control("other-way-round", "where() chooses where the condition does not hold", "arithmetic.choices", "elements", _subject(arithmetic.OTHER_WAY_ROUND)),
    Control("sign-of-dividend", "remainder() has the sign of the dividend", "arithmetic.remainders", "elements", _subject(arithmetic.SIGN_OF_DIVIDEND)),
    Control("zero-to-the-zero", "0.0 to the power of 0 is NaN", "arithmetic.powers", "elements", _subject(arithmetic.ZERO_TO_THE_ZERO)),
    Control("exp-off-by-bound", "exp() is a step farther off than it may be", "unary.patterns", "elements", _subject(unary.OFF_BY_BOUND)),
    Control("flushed-root", "the square root of what is subnormal is zero", "unary.patterns", "elements", _subject(unary.FLUSHED_ROOT)),
    Control("ceil-of-negatives", "floor() rounds negative numbers up", "unary.forms", "elements", _subject(unary.CEIL_OF_NEGATIVES)),
    Control("takes-complex", "ceil() refuses no complex numbers", "unary.patterns", "raises", _subject(unary.TAKES_COMPLEX)),
    Control("power-far-off", "pow() is off by many steps", "arithmetic.inexact", "elements", _subject(unary.WRONG_POWER)),
    Control("forgives-twice-as-much", "the table of last bits allows twice as much", "unary.bounds", "verdict", _inexact(suite.twice_as_inexact)),
    Control("forgives-one-more", "the table of last bits allows one step more", "unary.bounds", "verdict", _inexact(suite.one_step_more)),
    Control("sum-in-own-dtype", "integers are summed in their own dtype", "reductions.dtypes", "dtype", _subject(reductions.OWN_DTYPE)),
    Control("converts-last", "sum() converts the sum and not the elements", "reductions.conversions", "dtype", _subject(reductions.CONVERTS_LAST)),
    Control("reductions-keep-order", "the dimensions of a result lie in another order", "reductions.calls", "stride", _subject(reductions.KEEPS_ORDER)),
    Control("half-by-half", "sum() of float16 is rounded at each step", "reductions.inexact", "elements", _subject(reductions.HALF_BY_HALF)),
    Control("bfloat-by-bfloat", "sum() of bfloat16 is rounded at each step", "reductions.inexact", "elements", _subject(reductions.BFLOAT_BY_BFLOAT)),
    Control("few-halves", "nansum() of up to 17 float16 is rounded at each step", "reductions.inexact", "elements", _subject(reductions.FEW_HALVES)),
    Control("divides-first", "mean() of float16 divides before it sums", "reductions.inexact", "elements", _subject(reductions.DIVIDES_FIRST)),
    Control("running-sum", "sum() of float32 adds one after the other", "reductions.inexact", "elements", _subject(reductions.RUNNING_SUM)),
    Control("begins-again", "cumsum() forgets its total after 256 numbers", "reductions.inexact", "elements", _subject(reductions.BEGINS_AGAIN)),
    Control("multiplies-narrow", "prod() of float64 is computed in float32", "reductions.inexact", "elements", _subject(reductions.MULTIPLIES_NARROW)),
    Control("nan-is-lost", "reductions return a number for NaN", "reductions.values", "elements", _subject(reductions.NAN_IS_LOST)),
    Control("repeated-dim", "sum() says otherwise that a dimension comes twice", "reductions.refusals", "message", _subject(reductions.WRONG_WORDS)),
    Control("plain-tuple", "named tuples are printed without their module", "reductions.named_tuples", "repr", _subject(reductions.PLAIN_TUPLE)),
    *(Control(name, fault, prop, caught_as, _subject(change)) for name, fault, prop, caught_as, change in layouts.FAULTS),
    Control("function-missing", "there is no torch.lerp", "surface.names", "raises", _subject(surface.LACKS_LERP)),
    Control("module-function-missing", "there is no torch.random.seed", "surface.names", "value", _subject(surface.LACKS_SEED)),
    Control("module-missing", "there is no torch.storage", "surface.names", "raises", _subject(surface.LACKS_MODULE)),
    Control("module-name-too-many", "torch.storage has a name of its own", "surface.beyond", "value", _subject(surface.ADDS_TO_STORAGE)),
    Control("name-too-many", "tensors have add_twice()", "surface.beyond", "value", _subject(surface.ADDS_TWICE)),
    Control("lists-nothing", "a name that torch has not is out of scope", "surface.listed", "verdict", _property(surface.lists_nothing)),

    Control("nan-equals-zero", "the comparator makes NaN zero", "engine.comparator", "verdict", _compare(suite.nan_equals_zero)),
    Control("classes-ignored", "the comparator takes any error for any other", "engine.comparator", "verdict", _compare(suite.classes_ignored)),
    Control("types-ignored", "the comparator takes equal numbers of any type for the same", "engine.comparator", "verdict", _compare(suite.types_ignored)),
    *(Control(f"blind-to-{facet.name.replace('_', '-')}", f"the comparator does not look at {facet.name}", "engine.comparator", "verdict", _compare(suite.blind_to(facet.name))) for facet in FACETS),
    Control("all-undefined", "a rule for undefined answers holds for every case", "engine.normalisations", "verdict", _compare(suite.everything_undefined)),
    Control("case-ignored", "a normalisation goes too far", "engine.normalisations", "verdict", _compare(suite.case_ignored)),
    *(Control(name, fault, prop, "verdict", _property(change)) for name, fault, prop, change in rules.FAULTS),
    Control("stops-early", "a property ends after 44 cells", "promotion.promote_types", "incomplete", _property(suite.stops_early)),
    Control("passes-over", "a property returns before it asks, for some cells", "dtypes.names", "incomplete", _property(suite.passes_over)),
    Control("swallows", "a property swallows its own failure and asks nothing", "promotion.chains", "incomplete", _property(suite.swallows)),
    Control("stale-expectation", "an expectation matches nothing any more", "promotion.promote_types", "stale", _no_fault, _expectation("0" * 12)),
    Control("changed-expectation", "what an expectation matches has changed", "promotion.promote_types", "changed", _subject(subject.WRONG_PROMOTION), _expectation("0" * 12)),
)
# fmt: on


def torch_against_itself(session: Session, name: str) -> dict[str, Any]:
    """Run the first control on one property: torch as its own subject.  Nothing may be found.

    Of a large domain some cells are enough, spread over it: what torch answers
    otherwise a second time, it does for many.
    """
    torch = without_device(session.oracle)
    quick = replace(session, oracle=torch, subject=torch, profile=CONTROL_PROFILE, look=read)
    prop = all_properties()[name]
    if (domain := prop.domain) is not None:
        prop = replace(prop, domain=lambda torch: domain(torch).thinned(_CELLS))
    problems = judge([merge(prop, run_property(quick, prop)).for_judging()]).problems
    return {
        "id": f"{ITSELF}:{name}",
        "kind": "itself",
        "fault": "none: torch is its own subject",
        "property": name,
        "caught_as": "nothing",
        "caught": not problems,
        "found": sorted({each.kind for each in problems}),
        "problems": len(problems),
        "example": problems[0].text if problems else None,
        **(
            {"on_meta": _torch_on_meta(replace(quick, oracle=session.oracle), prop)}
            if session.subject.device_type == "meta"
            else {}
        ),
    }


def _torch_on_meta(session: Session, prop: Property) -> dict[str, Any]:
    """Hold torch on meta against torch on the CPU, in the same cells: it answers otherwise in places."""
    subject = on_meta(session.oracle)
    record = merge(
        prop, run_property(replace(session, subject=subject, look=look_from(subject)), prop)
    )
    facets = Counter(each.facet for each in record.divergences)
    shown = record.divergences[0] if record.divergences else None
    return {
        "differences": dict(sorted(facets.items())),
        "example": shown
        and {
            "case": shown.case,
            "facet": shown.facet,
            "expected": shown.expected,
            "observed": shown.observed,
        },
    }


ITSELF = "torch-against-itself"
_CELLS = 500
"""How many cells of a domain torch is held against itself in."""


def runs(properties: Iterable[str]) -> dict[str, Callable[[Session], dict[str, Any]]]:
    """Return every control by its id, torch against itself first."""
    return {
        **{f"{ITSELF}:{name}": partial(torch_against_itself, name=name) for name in properties},
        **{each.id: each.run for each in CONTROLS},
    }
