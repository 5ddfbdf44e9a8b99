#include "learn/net/networks.h"

#include "learn/net/network_templates.h"

namespace penstock {

template class Dense<float>;
template class Mlp<float>;
template class Attention<float>;
template class ActorNet<float>;
template class CriticNet<float>;

}  // namespace penstock
