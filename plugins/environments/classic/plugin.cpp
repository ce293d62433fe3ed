#include "spar/plugin.hpp"

#include "acrobot.hpp"
#include "cart_pole.hpp"
#include "mountain_car.hpp"
#include "mountain_car_continuous.hpp"
#include "pendulum.hpp"

using namespace spar::classic;

SPAR_PLUGIN("org.spar.classic", "1.0.0", CartPoleV0, CartPoleV1, MountainCar, MountainCarContinuous, Acrobot, Pendulum)
