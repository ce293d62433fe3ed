#include "core/plugin/loader.hpp"

#define BOOST_DLL_USE_STD_FS
#include <dlfcn.h>
#include <string.h>

#include <boost/dll/shared_library.hpp>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/plugin/descriptor.hpp"
#include "core/plugin/libtorch.hpp"

namespace spar::plugin {
namespace {

using Entry = const spar_plugin*(uint32_t);

/// What the dynamic linker said. Boost.DLL wraps it in a sentence of its own and appends the text of a stale errno.
std::string linker_text(std::string_view what) {
  constexpr std::string_view kBegin = "dlerror system message: ";
  if (const size_t begin = what.find(kBegin); begin != std::string_view::npos) {
    what.remove_prefix(begin + kBegin.size());
    const size_t end = what.rfind("): ");
    what = what.substr(0, end);
  }
  return printable(what);
}

void check_unchanged(const PluginFile& file, const std::string& place) {
  auto opened = open_trusted(file.path);
  if (const auto* refusal = std::get_if<Refusal>(&opened))
    throw Error("E0123", Exit::plugin, place + " changed since it was examined: it " + refusal->reason)
        .help(refusal->remedy);
  if (!(std::get<OpenFile>(opened).key == file.key))
    throw Error("E0123", Exit::plugin, place + " changed since it was examined: it is another file now")
        .help("start again, when nothing replaces plugins any more");
}

}  // namespace

struct LoadedPlugin::Library {
  boost::dll::shared_library handle;
};

LoadedPlugin::LoadedPlugin(const PluginFile& file)
    : library_(std::make_unique<Library>()), place_("plugin " + printable(file.path.string())) {
  using boost::dll::load_mode::type;
  if (file.status == Status::refused)
    throw Error("E0101", Exit::plugin, place_ + " is refused: it " + file.reason).help(file.remedy);
  check_unchanged(file, place_);
  prepare_libtorch(place_, file.needed);
  try {
    // The throwing constructor: the overload with an error code loses the linker's text. RTLD_NODELETE: pointers into
    // the plugin (tables, thread-exit handlers) must outlive every handle.
    library_->handle =
        boost::dll::shared_library(file.path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local |
                                                  static_cast<type>(RTLD_NODELETE));
  } catch (const std::exception& error) {
    throw Error("E0120", Exit::plugin, place_ + " cannot be loaded: " + linker_text(error.what()))
        .help("a missing library or symbol means that it was built on another system: build it here");
  }
  check_unchanged(file, place_);
  if (!library_->handle.has(SPAR_ENTRY_SYMBOL))
    throw Error("E0120", Exit::plugin, place_ + " does not export `" SPAR_ENTRY_SYMBOL "`")
        .help("build it with spar_add_plugin() and define the entry in one of its sources");
  auto* entry = &library_->handle.get<Entry>(SPAR_ENTRY_SYMBOL);
  try {
    descriptor_ = entry(SPAR_ABI_VERSION);
  } catch (...) {
    throw Error("E0120", Exit::plugin, place_ + " threw an exception out of its entry").help("report it to its author");
  }
  if (!descriptor_)
    throw Error("E0120", Exit::plugin, place_ + " gave no descriptor to a host of ABI " + abi_text(SPAR_ABI_VERSION))
        .help("report it to its author: the entry must return static storage");
  components_ = check_descriptor(*descriptor_, file);
}

LoadedPlugin::LoadedPlugin(LoadedPlugin&&) noexcept = default;
LoadedPlugin::~LoadedPlugin() = default;

void LoadedPlugin::init(const spar_host& host) {
  if (initialised_) return;
  if (descriptor_->init) {
    spar_error error{};
    error.struct_size = sizeof error;
    spar_status status = SPAR_E_INTERNAL;
    try {
      status = descriptor_->init(&host, &error);
    } catch (...) {
      throw Error("E0122", Exit::plugin, place_ + " threw an exception out of init()").help("report it to its author");
    }
    if (status < 0) {
      const std::string text = printable({error.message, ::strnlen(error.message, sizeof error.message)});
      throw Error("E0122", Exit::plugin,
                  place_ + " cannot be initialised (status " + std::to_string(status) +
                      "): " + (text.empty() ? "it gave no reason" : text))
          .help("the sentence above is the plugin's own");
    }
  }
  initialised_ = true;
}

void LoadedPlugin::deinit() {
  if (!initialised_) return;
  initialised_ = false;
  if (descriptor_->deinit) descriptor_->deinit();
}

}  // namespace spar::plugin
