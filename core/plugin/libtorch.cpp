#include "core/plugin/libtorch.hpp"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace spar::plugin {
namespace {

bool is_libtorch(std::string_view library) { return library.starts_with("libtorch") || library.starts_with("libc10"); }

/// "libtorch_cpu" of "libtorch_cpu.so.1.13".
std::string_view stem(std::string_view library) { return library.substr(0, library.find('.')); }

/// File names of the LibTorch libraries in this process. The dynamic linker's list is the truth, whoever brought them.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> names;
  const auto collect = [](dl_phdr_info* info, size_t, void* out) {
    std::string_view path = info->dlpi_name ? info->dlpi_name : "";
    path.remove_prefix(path.rfind('/') + 1);
    if (is_libtorch(path)) static_cast<std::vector<std::string>*>(out)->emplace_back(path);
    return 0;
  };
  ::dl_iterate_phdr(collect, &names);
  return names;
}

void open(const std::string& place, const std::string& library) {
  if (void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    // at::set_num_threads(int), by its symbol: this program is built without LibTorch.
    if (auto* set_threads = reinterpret_cast<void (*)(int)>(::dlsym(handle, "_ZN2at15set_num_threadsEi")))
      set_threads(1);
    return;
  }
  const char* reason = ::dlerror();
  throw Error("E0127", Exit::plugin,
              place + " needs LibTorch (`" + printable(library) +
                  "`), which cannot be opened: " + printable(reason ? reason : "no reason was given"))
      .help("install LibTorch (Debian: libtorch1.13), or put its directory into LD_LIBRARY_PATH");
}

}  // namespace

bool needs_libtorch(std::span<const std::string> needed) { return std::ranges::any_of(needed, is_libtorch); }

void prepare_libtorch(const std::string& place, std::span<const std::string> needed) {
  if (!needs_libtorch(needed)) return;
  const std::vector<std::string> loaded = loaded_libraries();
  for (const std::string& wanted : needed)
    for (const std::string& there : loaded)
      if (is_libtorch(wanted) && stem(wanted) == stem(there) && wanted != there)
        throw Error("E0126", Exit::plugin,
                    place + " needs LibTorch `" + printable(wanted) + "`, and `" + printable(there) +
                        "` is in use already: a process can hold one LibTorch only")
            .help("build both plugins with the same LibTorch, or use them in different runs");
  for (const std::string& wanted : needed)
    if (is_libtorch(wanted)) open(place, wanted);
  // Each operator allocates its result. With the default thresholds large ones come from the kernel and go back to it
  // every time, and page faults cost up to half of the run time.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that glibc takes
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace spar::plugin
