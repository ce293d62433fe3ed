#!/usr/bin/env bash
# Every header of the SDK compiles alone and without a warning in each language that it promises: spar/abi* in C99, C11,
# C17 and C++11 to C++20, the C++ wrapper in C++17 and C++20; with the project's compiler, and with clang if it is there
# (for the wrapper: all headers together). The contract includes nothing but <stddef.h>, <stdint.h> and itself; the
# wrapper nothing but the standard library and the SDK. spar/torch.hpp needs LibTorch and has its own test.
#   compile_alone.sh INCLUDE_DIR C_COMPILER CXX_COMPILER
set -euo pipefail
cd "$1"
c=$2 cxx=$3
clang=$(command -v clang++ >/dev/null && command -v clang >/dev/null && echo clang || true)
failed=0

# Lines `COMPILER LANGUAGE STANDARD HEADER..`, one compilation each.
jobs=$(mktemp)
trap 'rm -f "$jobs"' EXIT
contract=(spar/abi.h spar/abi/*.h)
mapfile -t wrapper < <(find spar -name '*.hpp' ! -path spar/torch.hpp | sort)
for header in "${contract[@]}"; do
  for standard in c99 c11 c17; do
    for compiler in "$c" $clang; do echo "$compiler c $standard $header"; done
  done
  for standard in c++11 c++14 c++17 c++20; do
    for compiler in "$cxx" ${clang:+clang++}; do echo "$compiler c++ $standard $header"; done
  done
done >"$jobs"
for header in "${wrapper[@]}"; do
  for standard in c++17 c++20; do echo "$cxx c++ $standard $header"; done
done >>"$jobs"
if [[ -n $clang ]]; then
  for standard in c++17 c++20; do echo "clang++ c++ $standard ${wrapper[*]}"; done >>"$jobs"
fi

compile() {
  read -r compiler language standard headers <<<"$1"
  for header in $headers; do printf '#include "%s"\n' "$header"; done |
    "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I. - || {
    echo "FAILED: $headers with $compiler -std=$standard" >&2
    return 1
  }
}
export -f compile
xargs -a "$jobs" -d '\n' -P 2 -I LINE bash -c 'compile "$1"' compile LINE || failed=1
echo "$(wc -l <"$jobs") compilations of ${#contract[@]} headers of the contract and ${#wrapper[@]} of the wrapper"

allowed='^spar/abi(\.h|/[a-z]+\.h):#include (<stddef\.h>|<stdint\.h>|"spar/abi/[a-z]+\.h")$'
if grep -H '^ *# *include' "${contract[@]}" | grep -vE "$allowed"; then
  echo "FAILED: a header of the contract includes something else" >&2
  failed=1
fi
allowed='^[^:]+:#include (<[a-z_]+>|"spar/[a-z_/]+\.hpp"|"spar/abi\.h")$'
if grep -H '^ *# *include' "${wrapper[@]}" | grep -vE "$allowed"; then
  echo "FAILED: a header of the wrapper includes something else" >&2
  failed=1
fi
exit $failed
