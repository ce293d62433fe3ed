#!/usr/bin/env bash
# Every header of the SDK compiles alone and without a warning in each language that it promises: spar/abi* in C99, C11,
# C17 and C++11 to C++20, with the project's compiler and with clang if it is there; the C++ wrapper alone in C++17, and
# for speed all of it together in C++20 and with clang. The contract includes nothing but <stddef.h>, <stdint.h> and
# itself; the wrapper nothing but the standard library and the SDK. spar/torch*.hpp need LibTorch and have their own tests.
#   compile_alone.sh INCLUDE_DIR C_COMPILER CXX_COMPILER
set -euo pipefail
include=$1 c=$2 cxx=$3
cd "$include"
contract=(spar/abi.h spar/abi/*.h)
mapfile -t wrapper < <(find spar -name '*.hpp' ! -path 'spar/torch*.hpp' | sort)
failed=0

# One source file for each header, named after it, and one for the whole wrapper.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/c" "$work/cxx" "$work/wrapper" "$work/whole"
for header in "${contract[@]}"; do
  printf '#include "%s"\n' "$header" | tee "$work/c/${header//\//_}.c" >"$work/cxx/${header//\//_}.cpp"
done
for header in "${wrapper[@]}"; do
  printf '#include "%s"\n' "$header" | tee -a "$work/whole/all.cpp" >"$work/wrapper/${header//\//_}.cpp"
done

# Lines `COMPILER STANDARD FILES`, the long ones first.
{
  echo "$cxx c++17 $work/wrapper/spar_[a-m]*.cpp"
  echo "$cxx c++17 $work/wrapper/*_rl_*.cpp"
  echo "$cxx c++17 $work/wrapper/spar_[n-q]*.cpp $work/wrapper/spar_[s-z]*.cpp"
  echo "$cxx c++20 $work/whole/all.cpp"
  clang=$(command -v clang++ >/dev/null && command -v clang || true)
  if [[ -n $clang ]]; then
    for standard in c++17 c++20; do echo "clang++ $standard $work/whole/all.cpp"; done
  fi
  for standard in c99 c11 c17; do
    for compiler in "$c" ${clang:+clang}; do echo "$compiler $standard $work/c/*.c"; done
  done
  for standard in c++11 c++14 c++17 c++20; do
    for compiler in "$cxx" ${clang:+clang++}; do echo "$compiler $standard $work/cxx/*.cpp"; done
  done
} >"$work/jobs"

compile() {
  read -r compiler standard files <<<"$1"
  # shellcheck disable=SC2086 # the patterns are to be expanded
  "$compiler" -std="$standard" -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I. $files || {
    echo "FAILED: $compiler -std=$standard" >&2
    return 1
  }
}
export -f compile
xargs -a "$work/jobs" -d '\n' -P 2 -I LINE bash -c 'compile "$1"' compile LINE || failed=1
echo "${#contract[@]} headers of the contract, ${#wrapper[@]} of the wrapper, $(wc -l <"$work/jobs") passes"

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
