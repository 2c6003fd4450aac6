// A device of torch's PrivateUse1 whose memory is that of the host: every operator runs on
// tensors of the CPU that share the memory of the arguments.

#include <algorithm>
#include <cstring>

#include <ATen/EmptyTensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/library.h>

namespace {

const c10::Device NPU(c10::DeviceType::PrivateUse1, 0);

struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    void* data = c10::alloc_cpu(bytes);
    return {data, data, &c10::free_cpu, NPU};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return &c10::free_cpu;
  }
  void copy_data(void* target, const void* source, size_t bytes) const override {
    std::memcpy(target, source, bytes);
  }
};

Allocator allocator;
REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &allocator);

struct Guard final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::PrivateUse1> {
  c10::Device exchangeDevice(c10::Device) const override {
    return NPU;
  }
  c10::Device getDevice() const override {
    return NPU;
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override {
    return true;
  }
  bool isAvailable() const override {
    return true;
  }
  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return true;
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    c10::DataPtr after = allocator.allocate(bytes);
    std::memcpy(after.mutable_get(), storage.data(), std::min(bytes, storage.nbytes()));
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(after));
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
  }
};

const bool IS_REGISTERED = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

bool is_ours(const at::Tensor& x) {
  return x.defined() && x.device().type() == NPU.type();
}

at::Tensor on_host(const at::Tensor& x) {
  if (!is_ours(x)) {
    return x;
  }
  auto alias = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(
          c10::Storage::use_byte_size_t(), x.storage().nbytes(),
          c10::DataPtr(x.storage().mutable_data(), c10::Device(c10::kCPU)), c10::GetCPUAllocator(),
          x.storage().resizable()),
      c10::DispatchKeySet(c10::DispatchKey::CPU), x.dtype());
  alias.unsafeGetTensorImpl()->set_sizes_and_strides(
      x.sizes(), x.strides(), x.storage_offset());
  alias._set_conj(x.is_conj());
  alias._set_neg(x.is_neg());
  return alias;
}

// Returns the memory of a storage as memory of the device, and keeps the storage alive.
c10::DataPtr owned(const c10::Storage& storage) {
  auto* owner = new c10::Storage(storage);
  return {storage.mutable_data(), owner, [](void* p) { delete static_cast<c10::Storage*>(p); }, NPU};
}

at::Tensor on_npu(const at::Tensor& x) {
  if (!x.defined() || x.layout() != c10::kStrided) {
    return x;
  }
  auto result = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(
          c10::Storage::use_byte_size_t(), x.storage().nbytes(), owned(x.storage()), &allocator,
          true),
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), x.dtype());
  result.unsafeGetTensorImpl()->set_sizes_and_strides(
      x.sizes(), x.strides(), x.storage_offset());
  return result;
}

// Gives a tensor of the device the memory and the geometry that a kernel gave its alias.
void update(const at::Tensor& x, const at::Tensor& alias) {
  if (x.storage().data() != alias.storage().data()) {
    x.storage().unsafeGetStorageImpl()->set_data_ptr_noswap(owned(alias.storage()));
    x.storage().unsafeGetStorageImpl()->set_nbytes(alias.storage().nbytes());
  }
  x.unsafeGetTensorImpl()->set_sizes_and_strides(
      alias.sizes(), alias.strides(), alias.storage_offset());
}

c10::IValue map_tensors(const c10::IValue& value, at::Tensor (*change)(const at::Tensor&)) {
  if (value.isTensor()) {
    return change(value.toTensor());
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> changed;
    for (const at::Tensor& each : value.toTensorVector()) {
      changed.push_back(change(each));
    }
    return changed;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> changed;
    for (const auto& each : value.toOptionalTensorVector()) {
      changed.push_back(each ? std::optional(change(*each)) : each);
    }
    return changed;
  }
  return value;
}

void fallback(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const size_t count = schema.arguments().size();
  std::vector<c10::IValue> arguments(stack->end() - count, stack->end());
  std::vector<c10::IValue> on_cpu;
  bool to_npu = true;
  for (const auto& value : arguments) {
    on_cpu.push_back(map_tensors(value, on_host));
    if (value.isDevice()) {
      to_npu = value.toDevice().type() == NPU.type();
      if (to_npu) on_cpu.back() = c10::IValue(c10::Device(c10::kCPU));
    }
  }
  torch::jit::drop(*stack, count);
  stack->insert(stack->end(), on_cpu.begin(), on_cpu.end());
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  const size_t results = schema.returns().size();
  for (size_t i = 0; i < results; ++i) {
    c10::IValue& result = (*stack)[stack->size() - results + i];
    const auto* written = schema.returns()[i].alias_info();
    bool is_argument = false;
    if (written != nullptr && written->isWrite()) {
      for (size_t j = 0; j < count && !is_argument; ++j) {
        const auto* alias = schema.arguments()[j].alias_info();
        if (alias != nullptr && *alias == *written) {
          if (arguments[j].isTensor() && is_ours(arguments[j].toTensor())) {
            update(arguments[j].toTensor(), on_cpu[j].toTensor());
          }
          result = arguments[j];
          is_argument = true;
        }
      }
    }
    if (!is_argument && to_npu) {
      result = map_tensors(result, on_npu);
    }
  }
}

at::Tensor empty(
    c10::SymIntArrayRef size, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout>,
    std::optional<c10::Device>, std::optional<bool>, std::optional<c10::MemoryFormat> format) {
  return at::detail::empty_generic_symint(
      size, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(
    c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<c10::ScalarType> dtype,
    std::optional<c10::Layout>, std::optional<c10::Device>, std::optional<bool>) {
  return at::detail::empty_strided_symint_generic(
      size, stride, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(dtype));
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool) {
  on_host(target).copy_(on_host(source));
  return target;
}

const at::Tensor& resize(
    const at::Tensor& self, c10::SymIntArrayRef size, std::optional<c10::MemoryFormat> format) {
  return at::native::resize_(self, C10_AS_INTARRAYREF_SLOW(size), format);
}

at::Tensor& set_storage(
    at::Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size,
    c10::SymIntArrayRef stride) {
  return at::native::set_storage_cpu_(
      self, source, offset.expect_int(), C10_AS_INTARRAYREF_SLOW(size),
      C10_AS_INTARRAYREF_SLOW(stride));
}

at::Tensor& set_whole_storage(at::Tensor& self, at::Storage source) {
  return at::native::set_(self, source);
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  return at::native::set_tensor_(self, source);
}

at::Tensor& set_nothing(at::Tensor& self) {
  c10::Storage nothing(c10::Storage::use_byte_size_t(), 0, allocator.allocate(0), &allocator, true);
  return at::native::set_storage_cpu_(self, nothing, 0, {0}, {});
}

at::Tensor as_strided(
    const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
    std::optional<c10::SymInt> offset) {
  std::optional<int64_t> start;
  if (offset) start = offset->expect_int();
  return at::native::as_strided_tensorimpl(
      self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), start);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor reshape_alias(
    const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(
      self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("_copy_from", &copy_from);
  m.impl("resize_", &resize);
  m.impl("set_", &set_nothing);
  m.impl("set_.source_Tensor", &set_tensor);
  m.impl("set_.source_Storage", &set_whole_storage);
  m.impl("set_.source_Storage_storage_offset", &set_storage);
  m.impl("as_strided", &as_strided);
  m.impl("is_set_to", &at::native::is_set_to);
  m.impl("view", &view);
  m.impl("_reshape_alias", &reshape_alias);
}

// copy_ leaves the bits of its source to _copy_from.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace
