#include "spar/plugin.hpp"

#include "scenarios.hpp"

using namespace spar::mpe;

using SpreadDiscrete = Particles<Spread, false>;
using SpreadContinuous = Particles<Spread, true>;
using TagDiscrete = Particles<Tag, false>;
using TagContinuous = Particles<Tag, true>;
using AdversaryDiscrete = Particles<Adversary, false>;
using AdversaryContinuous = Particles<Adversary, true>;
using SpeakerListenerDiscrete = Particles<SpeakerListener, false>;
using SpeakerListenerContinuous = Particles<SpeakerListener, true>;

SPAR_PLUGIN("org.spar.mpe", "1.0.0", SpreadDiscrete, SpreadContinuous, TagDiscrete, TagContinuous, AdversaryDiscrete,
            AdversaryContinuous, SpeakerListenerDiscrete, SpeakerListenerContinuous)
