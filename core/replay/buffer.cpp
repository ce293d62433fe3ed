#include "core/replay/buffer.hpp"

#include <cmath>
#include <new>
#include <string>

#include "core/base/error.hpp"
#include "core/replay/replay_table.hpp"
#include "core/replay/rollout.hpp"

namespace spar::replay {

namespace {

BufferSpec checked(BufferSpec spec) {
  check(spec);
  return spec;
}

}  // namespace

Buffer::Buffer(BufferSpec spec, Philox random)
    : spec_(checked(std::move(spec))), layout_(spec_), memory_(make_memory()), own_{random, BatchPool(layout_)} {}

std::unique_ptr<Memory> Buffer::make_memory() const {
  size_t needed = 0;
  if (!__builtin_mul_overflow(spec_.capacity, layout_.stride, &needed)) try {
      if (spec_.kind == SPAR_BUF_ROLLOUT) return std::make_unique<Rollout>(spec_, layout_);
      return std::make_unique<ReplayTable>(spec_, layout_);
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {  // a container's way to say the same
    }
  throw Error("E0801", Exit::usage,
              "the memory cannot be made: " + std::to_string(spec_.capacity) + " transitions of " +
                  std::to_string(layout_.stride) + " bytes need more memory than there is")
      .help("lower the buffer size");
}

void Buffer::append(const StepRows& rows) {
  layout_.check_rows(rows, spec_.lanes);
  memory_->append(rows);
  size_.store(memory_->size(), std::memory_order_relaxed);
}

void Buffer::sample(uint64_t n, double beta, spar_batch* out) { sample(own_, n, beta, out); }

void Buffer::sample(Reader& reader, uint64_t n, double beta, spar_batch* out) {
  if (memory_->size() == 0)
    throw Error("E0806", Exit::failed, "nothing can be sampled: the memory is empty")
        .help("wait until it holds rows_per_learn transitions");
  if (spec_.kind != SPAR_BUF_ROLLOUT && n == 0)
    throw Error("E0803", Exit::failed, "0 rows cannot be sampled from a replay memory")
        .help("ask for the batch size; 0 means everything only for a rollout");
  if (spec_.kind == SPAR_BUF_PRIORITIZED && !(std::isfinite(beta) && beta >= 0))
    throw Error("E0803", Exit::failed,
                "nothing can be sampled: beta is " + std::to_string(beta) + ", expected a finite number of at least 0")
        .help("pass the exponent of the importance weights, usually 0.4 to 1");
  PooledBatch& batch = reader.pool.lend();
  try {
    const spar_batch view = memory_->sample(n, beta, reader.random, batch);
    SPAR_STORE(out, view);
  } catch (...) {
    reader.pool.take_back(&batch);
    throw;
  }
}

void Buffer::release(spar_batch* batch) { release(own_, batch); }

void Buffer::release(Reader& reader, spar_batch* batch) {
  if (batch == nullptr || !SPAR_HAS(batch, spar_batch, token)) return;
  reader.pool.take_back(batch->token);
  static constexpr spar_batch kEmpty{};
  SPAR_STORE(batch, kEmpty);
}

std::span<const uint64_t> Buffer::places(const spar_batch& lent) const {
  return static_cast<PooledBatch*>(lent.token)->index();
}

void Buffer::copy(std::span<const uint64_t> places, std::span<std::byte* const> columns) {
  memory_->copy(places, columns);
}

void Buffer::set_priority(const uint64_t* index, const float* p, uint64_t n) {
  memory_->set_priority({index, static_cast<size_t>(n)}, {p, static_cast<size_t>(n)});
}

void Buffer::after_learn() {
  memory_->after_learn();
  size_.store(memory_->size(), std::memory_order_relaxed);
}

void Buffer::cut() { memory_->cut(); }

void Buffer::save(ByteWriter& out) const {
  const auto lines = describe(spec_);
  out.put<uint64_t>(lines.size());
  for (const auto& [what, value] : lines) {
    out.text(what);
    out.text(value);
  }
  out.put(own_.random.state());
  memory_->save(out);
}

void Buffer::load(ByteReader& in) {
  const auto refuse = [](const std::string& saved, const std::string& wanted) {
    throw Error("E0805", Exit::failed, "the saved memory does not fit: it has " + saved + ", this one has " + wanted)
        .help("resume with the settings of the saved run, or start with an empty memory");
  };
  const auto line = [&in] {
    const std::string what = in.text();
    return what + " " + in.text();
  };
  const auto lines = describe(spec_);
  const auto count = in.get<uint64_t>();
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string wanted = lines[i].first + " " + lines[i].second;
    if (i >= count) refuse("no " + lines[i].first, wanted);
    const std::string saved = line();
    if (saved != wanted) refuse(saved, wanted);
  }
  if (count > lines.size()) refuse(line(), "no more columns");
  const auto state = in.get<Philox::State>();
  auto fresh = make_memory();
  fresh->load(in);
  memory_ = std::move(fresh);
  own_.random.restore(state);
  size_.store(memory_->size(), std::memory_order_relaxed);
}

size_t Buffer::bytes() const { return memory_->bytes() + own_.pool.bytes(); }

size_t Buffer::bytes_with(uint64_t rows, uint64_t batch_rows) const {
  return memory_->bytes_with(rows) + PooledBatch::bytes_of(layout_, batch_rows);
}

size_t Buffer::saved_bytes(uint64_t rows) const {
  constexpr size_t kLine = 128;  // of the specification: a name and a number
  return memory_->saved_bytes(rows) + describe(spec_).size() * kLine + sizeof(Philox::State);
}

}  // namespace spar::replay
