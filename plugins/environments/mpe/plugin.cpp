#include "spar/plugin.hpp"

#include "scenarios.hpp"

namespace spar::mpe {
namespace {

struct SpreadDiscrete : Particles<Spread, false> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_spread_v3", *version = "1.0.0",
                              *title = "Three agents cover three landmarks";
};
struct SpreadContinuous : Particles<Spread, true> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_spread_v3_continuous", *version = "1.0.0",
                              *title = "Three agents cover three landmarks, continuous";
};
struct TagDiscrete : Particles<Tag, false> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_tag_v3", *version = "1.0.0",
                              *title = "Three hunters and a fast prey";
};
struct TagContinuous : Particles<Tag, true> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_tag_v3_continuous", *version = "1.0.0",
                              *title = "Three hunters and a fast prey, continuous";
};
struct AdversaryDiscrete : Particles<Adversary, false> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_adversary_v3", *version = "1.0.0",
                              *title = "Two agents hide their goal from an adversary";
};
struct AdversaryContinuous : Particles<Adversary, true> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_adversary_v3_continuous", *version = "1.0.0",
                              *title = "Two agents hide their goal from an adversary, continuous";
};
struct SpeakerListenerDiscrete : Particles<SpeakerListener, false> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_speaker_listener_v4", *version = "1.0.0",
                              *title = "A speaker directs a listener";
};
struct SpeakerListenerContinuous : Particles<SpeakerListener, true> {
  using Particles::Particles;
  static constexpr const char *id = "org.spar.mpe/simple_speaker_listener_v4_continuous", *version = "1.0.0",
                              *title = "A speaker directs a listener, continuous";
};

}  // namespace
}  // namespace spar::mpe

using namespace spar::mpe;

SPAR_PLUGIN("org.spar.mpe", "1.0.0", SpreadDiscrete, SpreadContinuous, TagDiscrete, TagContinuous, AdversaryDiscrete,
            AdversaryContinuous, SpeakerListenerDiscrete, SpeakerListenerContinuous)
