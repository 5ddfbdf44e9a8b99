#pragma once

#include "model/models.h"

namespace penstock {

/// What may be said of each kind by someone who never saw it but knows all others on the same
/// GPU type: times and draws are the geometric means of theirs, leaving out what is next to
/// nothing; the overlap and the part that no clock slows down are plain means. Batches and the
/// most GPUs are what its user declares, and stay. A kind without others stays as it is. Tables
/// and formulas are told by their like alone.
Models guesses_by_others(const Models& known);

}  // namespace penstock
