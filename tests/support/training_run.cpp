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

TrainingRun::TrainingRun(const std::string& source, const std::vector<std::string>& assignments) {
  config::Sources sources;
  sources.preset_directory = (fs::path(SPAR_BUILD_DIR) / "share/spar/presets").string();
  sources.experiment = source;
  if (source.find('\n') != std::string::npos) {
    sources.experiment = directory_.write("experiment.toml", source).string();
  }
  sources.assignments = assignments;
  plugin::Registry& registry = *plugins().registry;
  experiment_ = config::load(sources, train::lookup_in(registry));
  training_ = std::make_unique<train::Training>(
      experiment_,
      [&registry](uint32_t kind, std::string_view id) -> const spar_component& { return registry.load(kind, id); },
      *plugins().host.host());
}

train::LoopResult TrainingRun::run() {
  checkpoint::PosixFileSystem files;
  checkpoint::Writer writer(checkpoint::Directory(files, directory_ / "checkpoints"));
  train::Recorder recorder(directory_.path());
  training_->start();
  return train::run_loop(*training_, recorder, writer, "{}", log_);
}

std::vector<float> TrainingRun::forward(const std::string& network, const std::vector<float>& inputs, size_t rows,
                                        size_t outputs) {
  nn::Network* net = training_->learners.front()->networks().find(network);
  if (!net) throw std::runtime_error("no network " + network);
  std::vector<float> out(rows * outputs);
  int64_t in_shape[] = {static_cast<int64_t>(rows), static_cast<int64_t>(inputs.size() / rows)};
  int64_t out_shape[] = {static_cast<int64_t>(rows), static_cast<int64_t>(outputs)};
  spar_tensor x{}, y{};
  x.data = const_cast<float*>(inputs.data());
  y.data = out.data();
  x.shape = in_shape;
  y.shape = out_shape;
  for (spar_tensor* t : {&x, &y}) {
    t->device_type = SPAR_DEVICE_CPU;
    t->ndim = 2;
    t->code = SPAR_DTYPE_FLOAT;
    t->bits = 32;
    t->lanes = 1;
  }
  const spar_tensor* in[] = {&x};
  spar_error error{};
  error.struct_size = sizeof error;
  // spar_net* points to the host's Network: the same door that plugins use.
  const auto& service =
      *static_cast<const spar_svc_nn*>(plugins().host.host()->get_service(plugins().host.host(), SPAR_SVC_NN));
  if (service.forward(reinterpret_cast<spar_net*>(net), 0, SPAR_NET_QUIET, in, &y, &error) < 0)
    throw std::runtime_error(error.message);
  return out;
}

}  // namespace spar::test
