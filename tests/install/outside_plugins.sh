#!/usr/bin/env bash
# Installs the build tree, builds the project in outside/ against the installed files alone, and lets the installed
# program find, train, evaluate and resume with its plugins.
#   outside_plugins.sh CMAKE BUILD_DIR SOURCE_DIR
set -euo pipefail
cmake=$1 build=$2 source=$3
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

echo "-- install"
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || {
  cat "$work/install.log"
  fail "cmake --install"
}
cd "$work/prefix"
for file in bin/spar bin/spar-worker include/spar/abi.h include/spar/abi/types.h include/spar/algorithm.hpp \
  include/spar/torch.hpp include/spar/torch_network.hpp lib/cmake/spar/spar-config.cmake lib/cmake/spar/spar_add_plugin.cmake \
  lib/cmake/spar/spar.map lib/spar/plugins/dqn.spar.so lib/spar/plugins/independent.spar.so \
  lib/spar/plugins/classic.spar.so share/spar/presets/cartpole-dqn.toml share/spar/doc/plugins.md; do
  [[ -f $file ]] || fail "the installation lacks $file"
done
for built in "$build"/lib/spar/plugins/*.spar.so; do
  [[ -f lib/spar/plugins/$(basename "$built") ]] || fail "the installation lacks the plugin $(basename "$built")"
done
if found=$(grep -rlF "$source" include lib/cmake share); then fail "these files name the source tree: $found"; fi

echo "-- build outside the source tree"
mkdir "$work/project"
cp "$source"/tests/install/outside/* "$work/project"
"$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion" >"$work/project.log"
"$cmake" --build "$work/project/build" >>"$work/project.log" || {
  cat "$work/project.log"
  fail "the outside project does not build"
}
mkdir "$work/plugins"
cp "$work"/project/build/*.spar.so "$work/plugins"
for plugin in "$work"/plugins/*.spar.so; do
  exported=$(nm -D --defined-only "$plugin" | awk '{ print $3 }')
  [[ $exported == spar_plugin_entry_v1 ]] || fail "$(basename "$plugin") exports more than its entry: $exported"
done

echo "-- follow the guide"
# block LANGUAGE: the first code block of that language in the installed guide
block() {
  awk -v fence="\`\`\`$1" '$0 == fence && !seen { inside = seen = 1; next } /^```/ { inside = 0 } inside' \
    "$work/prefix/share/spar/doc/plugins.md"
}
mkdir "$work/guide"
block cmake >"$work/guide/CMakeLists.txt"
block cpp >"$work/guide/corridor.cpp"
{
  "$cmake" -S "$work/guide" -B "$work/guide/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_CXX_FLAGS="-Wall -Wextra" &&
    "$cmake" --build "$work/guide/build"
} >"$work/guide.log" 2>&1 || {
  cat "$work/guide.log"
  fail "the environment of the guide does not build"
}
[[ -f $work/guide/build/corridor.spar.so ]] || fail "the guide builds no corridor.spar.so"

echo "-- find"
export SPAR_PLUGIN_PATH=$work/plugins HOME=$work/home XDG_DATA_HOME=$work/home/data XDG_CACHE_HOME=$work/home/cache
unset SPAR_PRESETS
mkdir -p "$HOME" "$work/runs-here"
cd "$work/runs-here"
spar=$work/prefix/bin/spar
"$spar" plugin list >"$work/list.txt"
for id in org.example.qtable org.example.bursts org.example/Corridor-v0 org.example/Thermostat-v0 org.spar.dqn; do
  grep -qF "$id" "$work/list.txt" || {
    cat "$work/list.txt"
    fail "spar plugin list does not show $id"
  }
done

# experiment FILE ENVIRONMENT ALGORITHM STEPS [MORE]
experiment() {
  printf 'name = "%s"\n[env]\nid = "%s"\n[algorithm]\nid = "%s"\n[stop]\nany = [{ env_steps = %s }]\n%s\n' \
    "$(basename "$1" .toml)" "$2" "$3" "$4" "[eval]
every = 500
episodes = 4
${5:-}" >"$1"
}
# field JSON_LINE KEY: the text or number after "KEY":
field() { sed -E "s/.*\"$2\":\"?([^\",}]*).*/\\1/" <<<"$1"; }
# run_to_end WORD..: runs spar with --json, prints its last line
run_to_end() {
  "$spar" "$@" --json 2>"$work/stderr.txt" >"$work/stdout.txt" || {
    cat "$work/stdout.txt" "$work/stderr.txt" >&2
    fail "spar $*"
  }
  tail -n 1 "$work/stdout.txt"
}

block toml >guide.toml
"$spar" check guide.toml >"$work/check.txt" 2>&1 || {
  cat "$work/check.txt"
  fail "spar check refuses the experiment of the guide"
}

echo "-- train"
experiment corridor-table.toml org.example/Corridor-v0 org.example.qtable 4000
end=$(run_to_end train corridor-table.toml)
[[ $(field "$end" status) == completed ]] || fail "the table on the corridor: $end"
best=$(sed -E 's/.*"eval_return":([-0-9.eE+]*).*/\1/' <<<"$end")
awk -v best="$best" 'BEGIN { exit !(best == -7) }' || fail "the best return of the corridor is -7, found $best: $end"
table_run=$(field "$end" run)

experiment corridor-dqn.toml org.example/Corridor-v0 dqn 1000
end=$(run_to_end train corridor-dqn.toml)
[[ $(field "$end" status) == completed ]] || fail "dqn on the corridor: $end"

experiment corridor-bursts.toml org.example/Corridor-v0 org.example.qtable 4000 \
  $'[strategy]\nid = "org.example.bursts"\npause = 50'
end=$(run_to_end train corridor-bursts.toml)
[[ $(field "$end" status) == completed ]] || fail "the table that learns in bursts: $end"
best=$(sed -E 's/.*"eval_return":([-0-9.eE+]*).*/\1/' <<<"$end")
awk -v best="$best" 'BEGIN { exit !(best == -7) }' || fail "learnt in bursts the corridor returns $best, expected -7: $end"

experiment room-table.toml org.example/Thermostat-v0 qtable 2000
end=$(run_to_end train room-table.toml)
[[ $(field "$end" status) == completed ]] || fail "the table on the C plugin: $end"

echo "-- evaluate a checkpoint"
end=$(run_to_end eval "$table_run" --episodes 3)
mean=$(sed -E 's/.*"mean":([-0-9.eE+]*).*/\1/' <<<"$end")
awk -v mean="$mean" 'BEGIN { exit !(mean == -7) }' || fail "the saved table returns $mean, expected -7: $end"

echo "-- play by hand"
printf '1\n0\nq\n' | "$spar" play org.example/Thermostat-v0 --seed 1 >"$work/played.txt" 2>&1 || {
  cat "$work/played.txt"
  fail "spar play on the C plugin"
}
grep -qF "moves: 0 wait, 1 heat" "$work/played.txt" && grep -qE "^it is [0-9]+ degrees, wanted are 20$" "$work/played.txt" || {
  cat "$work/played.txt"
  fail "spar play does not show the words of the C plugin"
}

echo "-- kill and resume"
experiment long.toml org.example/Corridor-v0 org.example.qtable 400000 $'[checkpoint]\nevery = 20_000'
whole=$(run_to_end train long.toml)
"$spar" train long.toml --json >"$work/killed.txt" 2>&1 &
child=$!
for _ in $(seq 200); do
  killed_run=$(find runs -maxdepth 1 -name 'long-*' ! -path "$(field "$whole" run)" 2>/dev/null | head -n 1 || true)
  [[ -n $killed_run ]] && find "$killed_run" -name '*20000*' -path '*checkpoints*' | grep -q . && break
  sleep 0.02
done
kill -KILL "$child" 2>/dev/null || true
wait "$child" 2>/dev/null || true
[[ -n $killed_run ]] || fail "the run to be killed never began: $(cat "$work/killed.txt")"
end=$(run_to_end resume "$killed_run")
[[ $(field "$end" status) == completed ]] || fail "the resumed run: $end"
[[ $(field "$end" parameters_sha256) == "$(field "$whole" parameters_sha256)" ]] ||
  fail "a resumed run learnt another table: $end, expected $whole"

echo "-- refuse what is broken"
head -c 3000 "$work/plugins/qtable.spar.so" >"$work/plugins/half.spar.so"
"$spar" plugin list --all >"$work/list.txt"
grep -qF half.spar.so "$work/list.txt" || fail "spar plugin list --all does not tell about a truncated plugin"
echo "passed"
