#include "core/game/clp.hpp"

#include <Clp_C_Interface.h>
#include <dlfcn.h>

#include <limits>
#include <memory>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace spar::game {
namespace {

/// The functions of the library's C interface that are used here.
struct Library {
  decltype(&Clp_newModel) new_model;
  decltype(&Clp_deleteModel) delete_model;
  decltype(&Clp_setLogLevel) set_log_level;
  decltype(&Clp_loadProblem) load_problem;
  decltype(&Clp_setOptimizationDirection) set_direction;
  decltype(&Clp_setPrimalTolerance) set_primal_tolerance;
  decltype(&Clp_setDualTolerance) set_dual_tolerance;
  decltype(&Clp_primal) primal;
  decltype(&Clp_status) status;
  decltype(&Clp_primalColumnSolution) x;
  decltype(&Clp_dualRowSolution) dual;
};

Library open() {
  void* handle = ::dlopen("libClp.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    throw Error("E1106", Exit::failed,
                std::string("the meta-solver `nash` needs the library libClp.so.1, which cannot be opened: ") +
                    printable(::dlerror()))
        .help("install it (apt-get install coinor-libclp1), or use another meta_solver");
  }
  const auto function = [handle](auto& to, const char* name) {
    void* found = ::dlsym(handle, name);
    if (!found) {
      throw Error("E1106", Exit::failed, std::string("libClp.so.1 has no function `") + name + "`")
          .help("install Debian's coinor-libclp1, or use another meta_solver");
    }
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(found);
  };
  Library out;
  function(out.new_model, "Clp_newModel");
  function(out.delete_model, "Clp_deleteModel");
  function(out.set_log_level, "Clp_setLogLevel");
  function(out.load_problem, "Clp_loadProblem");
  function(out.set_direction, "Clp_setOptimizationDirection");
  function(out.set_primal_tolerance, "Clp_setPrimalTolerance");
  function(out.set_dual_tolerance, "Clp_setDualTolerance");
  function(out.primal, "Clp_primal");
  function(out.status, "Clp_status");
  function(out.x, "Clp_primalColumnSolution");
  function(out.dual, "Clp_dualRowSolution");
  return out;
}

const Library& library() {
  static const Library instance = open();
  return instance;
}

}  // namespace

LinearSolution maximise(const LinearProgram& program) {
  const Library& clp = library();
  const std::unique_ptr<Clp_Simplex, decltype(clp.delete_model)> model(clp.new_model(), clp.delete_model);
  const auto columns = static_cast<int>(program.objective.size()), rows = static_cast<int>(program.lower.size());
  const std::vector<double> most(program.objective.size(), std::numeric_limits<double>::max());
  clp.set_log_level(model.get(), 0);
  clp.load_problem(model.get(), columns, rows, program.begin.data(), program.row.data(), program.value.data(),
                   program.least.data(), most.data(), program.objective.data(), program.lower.data(),
                   program.upper.data());
  clp.set_direction(model.get(), -1);
  clp.set_primal_tolerance(model.get(), 1e-10);
  clp.set_dual_tolerance(model.get(), 1e-10);
  clp.primal(model.get(), 0);
  if (const int status = clp.status(model.get()); status != 0) {
    throw Error("E1107", Exit::failed,
                "the linear program of the meta-game has no optimum (libClp.so.1 ends with status " +
                    std::to_string(status) + ")")
        .help("use another meta_solver, e.g. regret_matching_plus");
  }
  const double *x = clp.x(model.get()), *dual = clp.dual(model.get());
  return {{x, x + columns}, {dual, dual + rows}};
}

}  // namespace spar::game
