#include "support/training_run.hpp"

#include <fstream>
#include <stdexcept>

#include "core/train/session.hpp"

namespace spar::test {
namespace fs = std::filesystem;

Plugins::Plugins() {
  train::offer_services(host);
  plugin::SearchPath search;
  search.directories.push_back({fs::path(SPAR_BUILD_DIR) / "lib/spar/plugins", "built-in"});
  plugin::RegistryOptions options;
  options.host = &host;
  options.worker = fs::path(SPAR_BUILD_DIR) / "bin/spar-worker";
  registry = std::make_unique<plugin::Registry>(plugin::Registry::scan(search, options));
}

Plugins& plugins() {
  static Plugins instance;
  return instance;
}

TrainingRun::TrainingRun(const std::string& source, const std::vector<std::string>& assignments, uint32_t threads) {
  config::Sources sources;
  sources.preset_directory = (fs::path(SPAR_BUILD_DIR) / "share/spar/presets").string();
  sources.experiment = source;
  if (source.find('\n') != std::string::npos) {
    sources.experiment = directory_.write("experiment.toml", source).string();
  }
  sources.assignments = assignments;
  plugin::Registry& registry = *plugins().registry;
  experiment_ = config::load(sources, train::lookup_in(registry));
  training_ =
      std::make_unique<train::Training>(experiment_, train::loader_in(registry), *plugins().host.host(), threads);
}

train::LoopResult TrainingRun::run() {
  training_->start();
  return go_on();
}

train::LoopResult TrainingRun::go_on() {
  checkpoint::PosixFileSystem files;
  checkpoint::Writer writer(checkpoint::Directory(files, directory_ / "checkpoints"));
  train::Recorder recorder(directory_.path());
  return train::run_loop(*training_, recorder, writer, "{}", log_);
}

std::vector<float> TrainingRun::forward(const std::string& network, const std::vector<float>& inputs, size_t rows,
                                        size_t outputs, const std::vector<float>& more, size_t agent) {
  nn::Network* net = training_->learners.at(agent)->networks().find(network);
  if (!net) throw std::runtime_error("no network " + network);
  std::vector<float> out(rows * outputs);
  const auto n = static_cast<int64_t>(rows);
  int64_t shapes[][2] = {{n, static_cast<int64_t>(inputs.size() / rows)},
                         {n, static_cast<int64_t>(more.size() / rows)},
                         {n, static_cast<int64_t>(outputs)}};
  const auto tensor = [](const float* data, int64_t* shape) {
    return spar_tensor{const_cast<float*>(data), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, shape, nullptr, 0};
  };
  const spar_tensor x = tensor(inputs.data(), shapes[0]), second = tensor(more.data(), shapes[1]);
  spar_tensor y = tensor(out.data(), shapes[2]);
  const spar_tensor* in[] = {&x, &second};
  spar_error error{};
  error.struct_size = sizeof error;
  // spar_net* points to the host's Network: the same door that plugins use.
  const auto& service =
      *static_cast<const spar_svc_nn*>(plugins().host.host()->get_service(plugins().host.host(), SPAR_SVC_NN));
  if (service.forward(reinterpret_cast<spar_net*>(net), 0, SPAR_NET_QUIET, in, &y, &error) < 0)
    throw std::runtime_error(error.message);
  return out;
}

std::vector<float> TrainingRun::values(const std::string& network) {
  nn::Network* net = training_->learners.front()->networks().find(network);
  if (!net) throw std::runtime_error("no network " + network);
  std::vector<float> out(net->bytes(SPAR_NET_VALUES) / sizeof(float));
  net->read(SPAR_NET_VALUES, out.data(), out.size() * sizeof(float));
  return out;
}

}  // namespace spar::test
