#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/time.h"

namespace penstock::agent {

/// Makes us the only agent with this record, for as long as we or a child of ours keeps the
/// descriptor. Waits a while for one that is ending; makes the folder where it is absent.
Result<Descriptor> be_sole(const std::string& record, Duration patience);

}  // namespace penstock::agent
