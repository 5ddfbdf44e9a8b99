// Any bytes are weights that come back bit for bit, and perhaps a network that answers, or have a
// message that says why not.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "learn/net/ppo.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace penstock;
  const auto weights = decode_weights({reinterpret_cast<const char*>(bytes), size});
  if (!weights) {
    PENSTOCK_CHECK(!weights.error().message.empty());
    return 0;
  }
  const std::string again = encode_weights(*weights);
  const auto twice = decode_weights(again);
  PENSTOCK_CHECK(twice && encode_weights(*twice) == again);
  const auto ppo = Ppo::load(*weights, {});
  const auto net = ActorCritic::load(*weights);
  PENSTOCK_CHECK(net || !ppo);
  if (!net) return 0;
  Windows windows(net->shape().item_features, net->shape().global_features);
  const std::vector<float> items(std::size_t{2} * net->shape().item_features, 0.5F);
  const std::vector<float> globals(net->shape().global_features, 0.5F);
  windows.add({.items = items, .globals = globals});
  std::vector<float> out;
  net->logits(windows, out);
  PENSTOCK_CHECK(out.size() == 2);
  net->values(windows, out);
  PENSTOCK_CHECK(out.size() == 1);
  return 0;
}
