#include "support/scripted.hpp"

#include <memory>
#include <ostream>

#include "core/base/error.hpp"
#include "core/replay/buffer.hpp"
#include "core/train/session.hpp"

namespace spar::test {

const spar_host& scripted_host() {
  static const auto table = [] {
    auto host = std::make_unique<plugin::HostTable>();
    train::offer_services(*host);
    return host;
  }();
  return *table->host();
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() + " " + error.what();
  }
  return "nothing was thrown";
}

std::ostream& operator<<(std::ostream& out, const Stored& row) {
  return out << "{obs " << row.obs << ", action " << row.action << ", reward " << row.reward << ", discount "
             << row.discount << ", next_obs " << row.next_obs << ", terminated " << int{row.terminated} << "}";
}

std::vector<Stored> stored(spar_ctx* ctx) {
  const uint64_t size = ctx->buffer->size();
  std::map<uint64_t, Stored> rows;
  if (size == 0) return {};
  // The memory draws with replacement: by a copy of it, until every transition was seen.
  ByteWriter saved;
  ctx->buffer->save(saved);
  replay::Buffer copy(ctx->buffer->spec(), Philox(7, "stored"));
  const auto bytes = saved.take();
  ByteReader reader(bytes, "stored");
  copy.load(reader);
  while (rows.size() < size) {
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    copy.sample(8 * size, 1, &batch);
    const auto obs = spar::column<float>(batch, view(batch.columns[0].name));
    const auto next = spar::column<float>(batch, "next_" + std::string(view(batch.columns[0].name)));
    const auto reward = spar::column<float>(batch, "reward"), discount = spar::column<float>(batch, "discount");
    const auto terminated = spar::column<uint8_t>(batch, "terminated");
    const spar_column* action = find_column(batch, "action");
    for (uint64_t i = 0; i < batch.rows; ++i) {
      const float a = action->t.code == SPAR_DTYPE_FLOAT
                          ? static_cast<const float*>(action->t.data)[i * row_width(action->t)]
                          : static_cast<float>(static_cast<const int64_t*>(action->t.data)[i]);
      rows[batch.index[i]] = {obs(i), a, reward(i), discount(i), next(i), terminated(i)};
    }
    copy.release(&batch);
  }
  std::vector<Stored> out;
  for (const auto& [index, row] : rows) out.push_back(row);
  return out;
}

}  // namespace spar::test
