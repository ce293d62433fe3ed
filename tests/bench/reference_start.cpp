// What a program costs to start that reads its words, a TOML file and logs a line: the limit of spar's own start.
#include <spdlog/spdlog.h>
#include <toml++/toml.h>

#include <boost/program_options.hpp>
#include <iostream>

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  po::options_description options("options");
  options.add_options()("file", po::value<std::string>()->required(), "a TOML file")("quiet", "say nothing");
  try {
    po::variables_map values;
    po::store(po::parse_command_line(argc, argv, options), values);
    po::notify(values);
    const toml::table table = toml::parse_file(values["file"].as<std::string>());
    spdlog::info("{} keys", table.size());
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
