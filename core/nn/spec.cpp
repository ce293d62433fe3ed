#include "core/nn/spec.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/nn/failure.hpp"

namespace spar::nn {
namespace {

namespace json = boost::json;

constexpr int64_t kMostWidth = 1 << 24;
constexpr double kMostSigma = 1000.0;

struct Reader {
  std::string_view net;

  std::string at(std::string_view key) const { return "network `" + printable(net) + "`: `" + printable(key) + "` "; }
  static std::string found(const json::value& value) {
    std::string text = json::serialize(value);
    if (text.size() > 60) text = text.substr(0, 57) + "..";
    return ", found " + printable(text);
  }

  size_t width(std::string_view key, const json::value& value) const {
    const auto* n = value.if_int64();
    if (n == nullptr || *n < 1 || *n > kMostWidth)
      throw invalid(at(key) + "takes whole numbers from 1 to " + std::to_string(kMostWidth) + found(value));
    return static_cast<size_t>(*n);
  }
  std::vector<size_t> widths(std::string_view key, const json::value& value) const {
    const auto* list = value.if_array();
    if (list == nullptr) throw invalid(at(key) + "takes a list of widths such as [64, 64]" + found(value));
    std::vector<size_t> result;
    for (const json::value& item : *list) result.push_back(width(key, item));
    return result;
  }
  double number(std::string_view key, const json::value& value) const {
    if (!value.is_number()) throw invalid(at(key) + "takes a number" + found(value));
    return value.to_number<double>();
  }
  template <class T>
  T choice(std::string_view key, const json::value& value, std::initializer_list<std::pair<const char*, T>> all) const {
    std::vector<std::string> names;
    for (const auto& [name, result] : all) {
      if (value.is_string() && value.get_string() == name) return result;
      names.emplace_back(name);
    }
    throw invalid(at(key) + "takes " + listing(names, "or") + found(value));
  }
};

std::vector<Head> read_heads(const Reader& reader, const json::value& value) {
  const auto* list = value.if_array();
  if (list == nullptr || list->empty())
    throw invalid(reader.at("heads") + "takes a list such as [{\"out\": 1}, {\"out\": 4}]" + Reader::found(value));
  std::vector<Head> heads;
  for (const json::value& item : *list) {
    const auto* object = item.if_object();
    if (object == nullptr || !object->contains("out"))
      throw invalid(reader.at("heads") + "needs `out` in each entry" + Reader::found(item));
    Head head;
    for (const auto& [key, entry] : *object) {
      if (key == "out")
        head.out = reader.width("heads.out", entry);
      else if (key == "hidden")
        head.hidden = reader.widths("heads.hidden", entry);
      else
        throw invalid(reader.at("heads") + "knows no key `" + printable(std::string_view(key)) +
                      "`; its keys are out and hidden");
    }
    heads.push_back(std::move(head));
  }
  return heads;
}

std::string_view text_of(const Reader& reader, std::string_view key, const json::value& value) {
  if (!value.is_string()) throw invalid(reader.at(key) + "takes text" + Reader::found(value));
  return value.get_string();
}

// Where it is computed. By the host's own kernels, unless it asks for more than they offer.
void settle_backend(const Reader& reader, Spec& spec) {
  if (spec.backend == "auto") spec.backend = spec.kind == Kind::mlp && spec.device != "cuda" ? "native" : "torch";
  if (spec.backend != "native") return;
  spec.backend.clear();
  if (spec.kind != Kind::mlp)
    throw not_offered(reader.at("backend") +
                      "is native, which computes kind mlp only: take backend torch, or leave it out");
  if (spec.device == "cuda")
    throw not_offered(reader.at("backend") +
                      "is native, which computes on the cpu only: take backend torch for cuda, or leave it out");
}

// Keys of networks with inputs and keys of free vectors do not mix: a knob without effect is a mistake.
void read_key(const Reader& reader, std::string_view key, const json::value& value, Spec& spec) {
  if (key == "kind") {
    spec.kind = reader.choice<Kind>(
        key, value, {{"mlp", Kind::mlp}, {"nature_cnn", Kind::nature_cnn}, {"torchscript", Kind::torchscript}});
    return;
  }
  if (key == "backend" || key == "file") {
    (key == "file" ? spec.file : spec.backend) = text_of(reader, key, value);
    return;
  }
  if (key == "device") {
    spec.device = reader.choice<std::string>(key, value, {{"auto", "auto"}, {"cpu", "cpu"}, {"cuda", "cuda"}});
    return;
  }
  if (key == "value") {
    if (!spec.free_vector()) throw invalid(reader.at(key) + "is for free vectors, and this network has inputs");
    const auto* list = value.if_array();
    if (list == nullptr || list->size() != spec.out)
      throw invalid(reader.at(key) + "takes a list of " + std::to_string(spec.out) + " numbers" + Reader::found(value));
    for (const json::value& item : *list) spec.value.push_back(static_cast<float>(reader.number(key, item)));
    return;
  }
  static constexpr std::string_view kKnown[] = {"hidden",    "activation", "output",  "init",  "gain",
                                                "last_gain", "heads",      "dueling", "atoms", "noisy"};
  if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) {
    std::vector<std::string> known(std::begin(kKnown), std::end(kKnown));
    known.insert(known.end(), {"value", "kind", "file", "backend", "device"});
    const std::string near = nearest(key, known);
    throw invalid("network `" + printable(reader.net) + "`: unknown key `" + printable(key) + "`" +
                  (near.empty() ? "; its keys are " + listing(known) : "; did you mean `" + near + "`?"));
  }
  if (spec.free_vector())
    throw invalid(reader.at(key) + "is for networks with inputs, and this is a free vector: leave it out");
  if (spec.kind == Kind::torchscript)
    throw invalid(reader.at(key) + "describes layers, and those of torchscript are in its file: leave it out");
  if (key == "hidden") {
    spec.hidden = reader.widths(key, value);
  } else if (key == "activation") {
    spec.activation = reader.choice<Activation>(key, value, {{"relu", Activation::relu}, {"tanh", Activation::tanh}});
  } else if (key == "output") {
    spec.output = reader.choice<Output>(key, value, {{"identity", Output::identity}, {"tanh", Output::tanh}});
  } else if (key == "init") {
    spec.init = reader.choice<Init>(
        key, value, {{"default", Init::standard}, {"uniform", Init::uniform}, {"orthogonal", Init::orthogonal}});
  } else if (key == "gain") {
    spec.gain = reader.number(key, value);
  } else if (key == "last_gain") {
    spec.last_gain = reader.number(key, value);
  } else if (key == "heads") {
    spec.heads = read_heads(reader, value);
  } else if (key == "atoms") {
    spec.atoms = reader.width(key, value);
  } else if (key == "noisy") {
    spec.noisy = value.is_number() ? reader.number(key, value) : 0.0;
    if (!(spec.noisy > 0.0 && spec.noisy <= kMostSigma))
      throw invalid(reader.at(key) + "takes sigma0, a number above 0 and at most 1000 such as 0.5" +
                    Reader::found(value) + ": leave it out for layers without noise");
  } else {
    if (!value.is_bool()) throw invalid(reader.at(key) + "takes true or false" + Reader::found(value));
    spec.dueling = value.get_bool();
  }
}

Input read_input(std::string_view net, const spar_column_spec& column, size_t index) {
  Input input;
  input.name = column.name != nullptr ? column.name : "input " + std::to_string(index);
  const std::string place = "network `" + printable(net) + "`: input `" + printable(input.name) + "` ";
  input.bytes = column.code == SPAR_DTYPE_UINT && column.bits == 8;
  if (!input.bytes && !(column.code == SPAR_DTYPE_FLOAT && column.bits == 32))
    throw not_offered(place + "has element type " + std::to_string(column.code) + " of " + std::to_string(column.bits) +
                      " bits, and networks take f32 or u8: convert it first");
  if (column.ndim < 0 || (column.ndim > 0 && column.shape == nullptr))
    throw invalid(place + "has no shape: set ndim and shape of one row");
  for (int32_t i = 0; i < column.ndim; ++i) {
    const int64_t n = column.shape[i];
    input.shape.push_back(n);
    if (n < 1 || n > kMostWidth || static_cast<int64_t>(input.size) * n > kMostWidth)
      throw invalid(place + "has shape " + shape_text(input.shape) + ", expected dimensions from 1 and at most " +
                    std::to_string(kMostWidth) + " numbers in a row");
    input.size *= static_cast<size_t>(n);
  }
  return input;
}

// A picture goes through the convolutions, numbers join what comes out of them.
void check_nature(const Reader& reader, const Spec& spec) {
  size_t pictures = 0;
  for (const Input& input : spec.inputs) {
    const bool picture = input.shape.size() == 3;
    pictures += picture ? 1 : 0;
    if (!picture && input.shape.size() != 1)
      throw invalid(reader.at("kind") + "is nature_cnn, and input `" + printable(input.name) + "` has shape " +
                    shape_text(input.shape) + ", expected [channels, height, width] or [numbers]");
    if (picture && (input.shape[1] < kNatureSmallest || input.shape[2] < kNatureSmallest))
      throw invalid(reader.at("kind") + "is nature_cnn, and input `" + printable(input.name) + "` has shape " +
                    shape_text(input.shape) + ", expected a picture of at least 36 x 36");
  }
  if (pictures != 1)
    throw invalid(reader.at("kind") + "is nature_cnn, and " + std::to_string(pictures) +
                  " of its inputs have shape [channels, height, width], expected exactly one");
}

void check_script(const Reader& reader, const Spec& spec) {
  if (spec.file.empty())
    throw invalid(reader.at("kind") + "is torchscript, and `file` is missing: name the module's file");
  if (spec.free_vector())
    throw invalid(reader.at("kind") + "is torchscript, and this is a free vector: give it inputs");
  if (spec.ensemble > 1)
    throw not_offered(reader.at("kind") + "is torchscript, and an ensemble of " + std::to_string(spec.ensemble) +
                      " is asked for: its members would start equal, so create one network for each file");
}

// Outputs of the heads must add up to what the caller will allocate.
void check_heads(const Reader& reader, Spec& spec) {
  if (spec.dueling) {
    if (spec.heads.size() != 2)
      throw invalid(reader.at("dueling") + "needs two heads, value and advantage, found " +
                    std::to_string(spec.heads.size()));
    if (spec.output != Output::identity)
      throw invalid(reader.at("dueling") + "goes with output identity only, found tanh");
    if (spec.heads[0].out != spec.atoms)
      throw invalid(reader.at("dueling") + "needs a first head (the value) with out " + std::to_string(spec.atoms) +
                    (spec.atoms > 1 ? " (its atoms)" : "") + ", found " + std::to_string(spec.heads[0].out));
    if (spec.heads[1].out % spec.atoms != 0)
      throw invalid(reader.at("dueling") + "needs a second head (the advantages) with out a multiple of its " +
                    std::to_string(spec.atoms) + " atoms, found " + std::to_string(spec.heads[1].out));
  } else if (spec.atoms > 1) {
    throw invalid(reader.at("atoms") + "goes with dueling only, found " + std::to_string(spec.atoms) +
                  ": without dueling ask for out = actions * atoms");
  }
  if (spec.heads.empty()) spec.heads.push_back({spec.out, {}});
  size_t sum = 0;
  for (const Head& head : spec.heads) sum += head.out;
  const size_t produced = spec.dueling ? spec.heads[1].out : sum;
  if (produced != spec.out)
    throw invalid(reader.at("heads") + "gives " + std::to_string(produced) + " outputs, and the network is asked for " +
                  std::to_string(spec.out));
}

std::string widths_text(const std::vector<size_t>& widths) {
  std::string text;
  for (const size_t width : widths) text += ", " + std::to_string(width);
  return text;
}

}  // namespace

size_t Spec::input_width() const {
  size_t width = 0;
  for (const Input& input : inputs) width += input.size;
  return width;
}

std::vector<LayerShape> layer_shapes(const Spec& spec) {
  std::vector<LayerShape> layers;
  if (spec.free_vector() || spec.kind == Kind::torchscript) return layers;
  size_t in = 0;
  for (const Input& input : spec.inputs) {
    if (spec.kind != Kind::nature_cnn || input.shape.size() != 3) {
      in += input.size;
      continue;
    }
    auto channels = static_cast<size_t>(input.shape[0]), height = static_cast<size_t>(input.shape[1]),
         width = static_cast<size_t>(input.shape[2]);
    for (const Convolution& c : kNature) {
      layers.push_back({channels * c.kernel * c.kernel, c.filters, false, false});
      channels = c.filters;
      height = (height - c.kernel) / c.stride + 1;
      width = (width - c.kernel) / c.stride + 1;
    }
    in += channels * height * width;
  }
  const auto branch = [&](size_t from, const std::vector<size_t>& widths, bool to_output) {
    for (size_t i = 0; i < widths.size(); ++i) {
      layers.push_back({from, widths[i], to_output && i + 1 == widths.size(), spec.noisy > 0.0});
      from = widths[i];
    }
    return from;
  };
  in = branch(in, spec.hidden, false);
  for (const Head& head : spec.heads) {
    std::vector<size_t> widths = head.hidden;
    widths.push_back(head.out);
    branch(in, widths, true);
  }
  return layers;
}

std::string Spec::shape() const {
  std::string text = ensemble > 1 ? std::to_string(ensemble) + " x " : "";
  if (free_vector()) return text + "vector of " + std::to_string(out);
  if (kind == Kind::nature_cnn) text += "nature_cnn ";
  text += kind == Kind::torchscript ? "torchscript [" : "[";
  for (size_t i = 0; i < inputs.size(); ++i)
    text += (i > 0 ? " + " : "") + (kind == Kind::mlp ? std::to_string(inputs[i].size) : shape_text(inputs[i].shape)) +
            (inputs[i].bytes ? " bytes" : "");
  if (kind == Kind::torchscript) return text + ", " + std::to_string(out) + "]";
  text += widths_text(hidden);
  if (heads.size() == 1) {
    text += widths_text(heads[0].hidden) + ", " + std::to_string(heads[0].out);
  } else {
    for (size_t i = 0; i < heads.size(); ++i)
      text += std::string(i > 0 ? " |" : ",") + " head" + widths_text(heads[i].hidden) + ", " +
              std::to_string(heads[i].out);
  }
  text += std::string("] ") + (activation == Activation::relu ? "relu" : "tanh");
  if (output == Output::tanh) text += ", output tanh";
  if (dueling) text += ", dueling";
  if (atoms > 1) text += " of " + std::to_string(atoms) + " atoms";
  if (noisy > 0.0) text += ", noisy";
  return text;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Spec parse_spec(std::string_view name, const spar_net_spec& source) {
  const Reader reader{name};
  const std::string place = "network `" + printable(name) + "`: ";
  if (name.empty()) throw invalid("a network needs a name: it decides its initial values and its place in checkpoints");
  if (source.struct_size < SPAR_END(spar_net_spec, json))
    throw invalid(place + "spar_net_spec has struct_size " + std::to_string(source.struct_size) +
                  ", expected at least " + std::to_string(SPAR_END(spar_net_spec, json)) + ": set it to sizeof");
  Spec spec;
  spec.name = name;
  spec.backend = "auto";
  spec.ensemble = source.ensemble == 0 ? 1 : source.ensemble;
  spec.slots = source.slots;
  if (spec.ensemble > 1024 || spec.slots > 1024)
    throw invalid(place + "ensemble is " + std::to_string(spec.ensemble) + " and slots " + std::to_string(spec.slots) +
                  ", expected at most 1024 each");
  if (source.out < 1 || source.out > kMostWidth)
    throw invalid(place + "out is " + std::to_string(source.out) + ", expected 1 to " + std::to_string(kMostWidth));
  spec.out = static_cast<size_t>(source.out);
  if (source.max_rows < 1 || source.max_rows > static_cast<uint64_t>(kMostWidth))
    throw invalid(place + "max_rows is " + std::to_string(source.max_rows) + ", expected 1 to " +
                  std::to_string(kMostWidth));
  spec.max_rows = source.max_rows;
  if (source.n_inputs > 0 && source.inputs == nullptr)
    throw invalid(place + "n_inputs is " + std::to_string(source.n_inputs) + " and inputs is NULL");
  for (uint32_t i = 0; i < source.n_inputs; ++i) {
    if (source.inputs[i] == nullptr) throw invalid(place + "inputs[" + std::to_string(i) + "] is NULL");
    spec.inputs.push_back(read_input(name, *source.inputs[i], i));
  }
  if (spec.input_width() > static_cast<size_t>(kMostWidth))
    throw invalid(place + "its inputs have " + std::to_string(spec.input_width()) +
                  " numbers in a row, expected at most " + std::to_string(kMostWidth));

  bool init_given = false, gain_given = false;
  if (source.json != nullptr && *source.json != '\0') {
    json::error_code problem;
    const json::value root = json::parse(source.json, problem);
    if (problem || !root.is_object())
      throw invalid(place + "its json is not a JSON object" + (problem ? ": " + problem.message() : "") + ", found " +
                    printable(std::string_view(source.json).substr(0, 60)));
    if (const auto* kind = root.get_object().if_contains("kind")) read_key(reader, "kind", *kind, spec);
    if (spec.kind == Kind::nature_cnn) spec.hidden = {512};
    for (const auto& [key, value] : root.get_object()) {
      read_key(reader, key, value, spec);
      init_given = init_given || key == "init";
      gain_given = gain_given || key == "gain" || key == "last_gain";
    }
  }
  if (gain_given && spec.init == Init::standard)
    throw invalid(place + "`gain` and `last_gain` scale orthogonal and uniform starts, and `init` is " +
                  (init_given ? "default" : "left out, which means default") +
                  ": choose another init or leave them out");
  settle_backend(reader, spec);
  if (spec.kind == Kind::torchscript) {
    check_script(reader, spec);
    return spec;
  }
  if (!spec.file.empty()) throw invalid(reader.at("file") + "belongs to kind torchscript: leave it out");
  if (spec.kind == Kind::nature_cnn) check_nature(reader, spec);
  if (!spec.free_vector()) check_heads(reader, spec);
  if (spec.free_vector() && spec.value.empty()) spec.value.assign(spec.out, 0.0f);
  return spec;
}

}  // namespace spar::nn
