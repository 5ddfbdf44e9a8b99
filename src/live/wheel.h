#pragma once

namespace penstock {

/// Whether Penstock steers at this moment.
struct Wheel {
  bool acts = false;    ///< decisions are carried out
  bool holds = false;   ///< new jobs wait until they are started; otherwise Slurm starts them
  bool lets_go = true;  ///< jobs that are held for Penstock; not where another daemon holds them
};

}  // namespace penstock
