// Which optional functions an author's environment has (see environment.hpp), and how to build one.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "spar/context.hpp"
#include "spar/numpy_random.hpp"
#include "spar/stream.hpp"

namespace spar {
struct Outcome;  // environment.hpp
}

namespace spar::detail {

template <class E>
using state_of = const typename E::State&;

/// One agent: step() takes its action and returns its outcome.
template <class E, class = void>
struct steps_alone : std::false_type {};
template <class E>
struct steps_alone<E, std::void_t<decltype(std::declval<E&>()
                                               .step(std::declval<typename E::State&>(),
                                                     std::declval<typename E::Action>(), std::declval<NumpyRandom&>())
                                               .reward)>> : std::true_type {};

/// One agent: step_all() steps many copies in one call, their actions one after the other.
template <class E, class = void>
struct has_step_all : std::false_type {};
template <class E>
struct has_step_all<E, std::void_t<decltype(std::declval<E&>().step_all(
                           std::declval<typename E::State*>(),
                           std::declval<const std::remove_cv_t<std::remove_pointer_t<typename E::Action>>*>(),
                           std::declval<Outcome*>(), std::declval<NumpyRandom*>(), size_t{}))>> : steps_alone<E> {};

template <class E, class = void>
struct has_acting : std::false_type {};
template <class E>
struct has_acting<E, std::void_t<decltype(std::declval<const E&>().acting(std::declval<state_of<E>>(), size_t{}))>>
    : std::true_type {};

template <class E, class = void>
struct has_alive : std::false_type {};
template <class E>
struct has_alive<E, std::void_t<decltype(std::declval<const E&>().alive(std::declval<state_of<E>>(), size_t{}))>>
    : std::true_type {};

template <class E, class = void>
struct has_action_mask : std::false_type {};
template <class E>
struct has_action_mask<E, std::void_t<decltype(std::declval<const E&>().action_mask(
                              std::declval<state_of<E>>(), size_t{}, std::declval<uint8_t*>()))>> : std::true_type {};

template <class E, class = void>
struct has_central_state : std::false_type {};
template <class E>
struct has_central_state<E, std::void_t<decltype(std::declval<const E&>().central_state(
                                std::declval<state_of<E>>(), std::declval<float*>()))>> : std::true_type {};

template <class E, class = void>
struct has_valid : std::false_type {};
template <class E>
struct has_valid<E, std::void_t<decltype(std::declval<const E&>().valid(std::declval<state_of<E>>()))>>
    : std::true_type {};

/// The author's positions form a game tree: see game.hpp.
template <class E, class = void>
struct has_tree : std::false_type {};
template <class E>
struct has_tree<E, std::void_t<decltype(std::declval<const E&>().current_player(std::declval<state_of<E>>())),
                               decltype(std::declval<const E&>().root(std::declval<typename E::State&>()))>>
    : std::true_type {};

/// The author writes a position for people.
template <class E, class = void>
struct has_text : std::false_type {};
template <class E>
struct has_text<E, std::void_t<decltype(std::declval<const E&>().text(std::declval<state_of<E>>(), size_t{}))>>
    : std::is_convertible<decltype(std::declval<const E&>().text(std::declval<state_of<E>>(), size_t{})), std::string> {
};

template <class E, class = void>
struct has_action_name : std::false_type {};
template <class E>
struct has_action_name<
    E, std::void_t<decltype(std::declval<const E&>().action_name(std::declval<state_of<E>>(), size_t{}, int64_t{}))>>
    : std::true_type {};

/// The author saves and loads a copy.
template <class E, class = void>
struct saves_copies : std::false_type {};
template <class E>
struct saves_copies<
    E, std::void_t<decltype(std::declval<const E&>().save(std::declval<state_of<E>>(), std::declval<StreamWriter&>())),
                   decltype(std::declval<const E&>().load(std::declval<typename E::State&>(),
                                                          std::declval<StreamReader&>()))>> : std::true_type {};

template <class E>
struct has_state_extension
    : std::bool_constant<saves_copies<E>::value || std::is_trivially_copyable_v<typename E::State>> {};

template <class E>
E make_environment(const Context& ctx, const typename E::Config& config) {
  if constexpr (std::is_constructible_v<E, const Context&, const typename E::Config&>)
    return E(ctx, config);
  else if constexpr (std::is_constructible_v<E, const typename E::Config&>)
    return E(config);
  else
    return E();
}

/// Bytes in memory as a stream: what is written can be read back, in order.
class MemoryStream {
 public:
  spar_stream stream() {
    return {sizeof(spar_stream), 0, this,
            [](void* self, void* to, uint64_t n) { return static_cast<MemoryStream*>(self)->read(to, n); },
            [](void* self, const void* from, uint64_t n) { return static_cast<MemoryStream*>(self)->write(from, n); }};
  }

 private:
  int64_t read(void* to, uint64_t n) {
    const uint64_t size = std::min<uint64_t>(n, bytes_.size() - at_);
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
    return static_cast<int64_t>(size);
  }
  int64_t write(const void* from, uint64_t n) {
    const auto* first = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), first, first + n);
    return static_cast<int64_t>(n);
  }

  std::vector<char> bytes_;
  uint64_t at_ = 0;
};

}  // namespace spar::detail
