# Shared by share/dev/run and share/dev/test: where the tree is, what is installed, how it is built. Source, do not run.
set -euo pipefail
# Plugins that others could write to are refused, so the build tree must not be group-writable.
umask 022
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

build_packages="g++ cmake ninja-build ccache libboost1.81-dev libboost-program-options1.81-dev libboost-json1.81-dev
  libboost-filesystem1.81-dev libboost-test1.81-dev libspdlog-dev libtomlplusplus-dev libcereal-dev
  coinor-libclp-dev"
test_packages="libtorch-dev libopenblas0-pthread libbenchmark-dev strace clang libclang-rt-dev lld clang-tidy
  clang-format git"

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }

# install PACKAGES..: as root directly, else through sudo, else prints the line and ends with 2.
install() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local apt="apt-get install -y --no-install-recommends ${missing[*]}" as=""
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as=sudo
    else
      say "packages are missing and installing needs root. Run: sudo apt-get update && sudo $apt"
      exit 2
    fi
  fi
  say "installing: ${missing[*]}"
  { $as apt-get update -q && DEBIAN_FRONTEND=noninteractive $as $apt -q; } >&2 ||
    { say "apt failed; see above. The line was: $apt"; exit 2; }
}

# Memory of compilers and linkers in huge pages and never given back: clang needs a sixth less time.
compiler_memory=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=2000000000

# build PRESET [TARGET..]: configures if needed, builds what changed.
build() {
  local preset=$1 log=$root/build/$1.log
  shift
  mkdir -p "$root/build"
  if [ ! -f "$root/build/$preset/build.ninja" ]; then
    say "configuring build/$preset"
    (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  fi
  (cd "$root" && GLIBC_TUNABLES=$compiler_memory cmake --build "build/$preset" ${1:+--target "$@"}) >"$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
}
