#include "model/gpu_type.h"

#include <vector>

namespace penstock {
namespace {

std::vector<GpuType> a100_and_later() {
  return {
      {.name = "h100",
       .min_clock_mhz = 210,
       .max_clock_mhz = 1785,
       .clock_step_mhz = 15,
       .idle = Watts(70),
       .peak = Watts(700),
       .memory_gib = 80,
       .source =
           "H100 SXM: peak and memory NVIDIA data sheet (by mlco2/impact gpus.csv); clocks "
           "as in published clock tables; idle 10 % of peak, estimate; sleep unpowered, estimate"},
      {.name = "a100",
       .min_clock_mhz = 510,
       .max_clock_mhz = 1410,
       .clock_step_mhz = 15,
       .idle = Watts(58),
       .peak = Watts(400),
       .memory_gib = 80,
       .source =
           "A100 SXM4 80 GB: peak and memory NVIDIA data sheet (by mlco2/impact gpus.csv); "
           "61 clocks as in published clock tables; idle measured, 0.1 % quantile of Acme's Seren "
           "(Hu et al., NSDI'24); sleep unpowered, estimate"},
      {.name = "a100-40gb",
       .min_clock_mhz = 510,
       .max_clock_mhz = 1410,
       .clock_step_mhz = 15,
       .idle = Watts(36),
       .peak = Watts(250),
       .memory_gib = 40,
       .source = "A100 PCIe 40 GB: peak and memory NVIDIA data sheet (by mlco2/impact gpus.csv); "
                 "clocks as a100; idle the same part of peak as a100, estimate; sleep unpowered, "
                 "estimate"},
  };
}

std::vector<GpuType> a40_and_v100() {
  return {
      {.name = "a40",
       .min_clock_mhz = 210,
       .max_clock_mhz = 1740,
       .clock_step_mhz = 15,
       .idle = Watts(30),
       .peak = Watts(300),
       .memory_gib = 48,
       .source = "A40: peak is the highest power limit in Zeus's traces (You et al., NSDI'23); "
                 "top clock and step as profiled by Perseus (Chung et al., SOSP'24, 855-1740 MHz); "
                 "lowest clock estimate; memory data sheet, from memory; idle 10 % of peak, "
                 "estimate; sleep unpowered, estimate"},
      {.name = "v100",
       .min_clock_mhz = 510,
       .max_clock_mhz = 1380,
       .clock_step_mhz = 15,
       .idle = Watts(40),
       .peak = Watts(300),
       .memory_gib = 16,
       .source = "V100 SXM2 16 GB: memory mlco2/impact gpus.csv; peak 300 W (that file seems to "
                 "swap the PCIe and SXM2 boards); clocks as in published clock tables, every "
                 "second of 117; "
                 "idle estimate; sleep unpowered, estimate"},
      {.name = "v100-32gb",
       .min_clock_mhz = 510,
       .max_clock_mhz = 1380,
       .clock_step_mhz = 15,
       .idle = Watts(40),
       .peak = Watts(300),
       .memory_gib = 32,
       .source = "V100 SXM2 32 GB: peak and memory mlco2/impact gpus.csv; clocks as v100; idle "
                 "estimate; sleep unpowered, estimate"},
  };
}

std::vector<GpuType> older_gpus() {
  return {
      {.name = "p100",
       .min_clock_mhz = 544,
       .max_clock_mhz = 1328,
       .clock_step_mhz = 14,
       .idle = Watts(28),
       .peak = Watts(250),
       .memory_gib = 16,
       .source = "P100 PCIe: peak and memory mlco2/impact gpus.csv, peak also Zeus's highest "
                 "limit; clocks and idle estimate; sleep unpowered, estimate"},
      {.name = "k80",
       .min_clock_mhz = 575,
       .max_clock_mhz = 875,
       .clock_step_mhz = 25,
       .idle = Watts(30),
       .peak = Watts(150),
       .memory_gib = 12,
       .source = "K80, one of a board's two GPUs: half the board's 300 W and its own 12 GB "
                 "(mlco2/impact gpus.csv); clocks and idle estimate; sleep unpowered, estimate"},
      {.name = "t4",
       .min_clock_mhz = 300,
       .max_clock_mhz = 1590,
       .clock_step_mhz = 15,
       .idle = Watts(10),
       .peak = Watts(70),
       .memory_gib = 16,
       .source = "T4: peak and memory NVIDIA data sheet (by mlco2/impact gpus.csv); clocks and "
                 "idle estimate; sleep unpowered, estimate"},
  };
}

std::vector<GpuType> smaller_gpus() {
  return {
      {.name = "a10g",
       .min_clock_mhz = 210,
       .max_clock_mhz = 1710,
       .clock_step_mhz = 15,
       .idle = Watts(15),
       .peak = Watts(150),
       .memory_gib = 24,
       .source = "A10G: peak and memory mlco2/impact gpus.csv; clocks and idle estimate; sleep "
                 "unpowered, estimate"},
      {.name = "l4",
       .min_clock_mhz = 210,
       .max_clock_mhz = 2040,
       .clock_step_mhz = 15,
       .idle = Watts(12),
       .peak = Watts(72),
       .memory_gib = 24,
       .source = "L4: peak and memory NVIDIA product brief (by mlco2/impact gpus.csv); clocks and "
                 "idle estimate; sleep unpowered, estimate"},
      {.name = "rtx2080ti",
       .min_clock_mhz = 300,
       .max_clock_mhz = 2100,
       .clock_step_mhz = 15,
       .idle = Watts(15),
       .peak = Watts(250),
       .memory_gib = 11,
       .source = "RTX 2080 Ti: peak and memory mlco2/impact gpus.csv; clocks and idle estimate; "
                 "sleep unpowered, estimate"},
  };
}

/// Those of the ANDREAS line's data; clocks are not modelled.
std::vector<GpuType> andreas_gpus() {
  return {
      {.name = "tesla",
       .peak = Watts(170),
       .memory_gib = 16,
       .source =
           "TESLA of ANDREAS (Filippini et al., FiCloud'21): a node draws 360 W and 170 W for "
           "each GPU in use (GPU-cost_server_4-2.csv: 530/700/870/1040 W), so an idle one nothing; "
           "the board is not named; memory estimate"},
      {.name = "turing",
       .peak = Watts(70),
       .memory_gib = 16,
       .source = "TURING of ANDREAS (Filippini et al., FiCloud'21): a node draws 330 W and 70 W "
                 "for each GPU in use (GPU-cost_server_4-2.csv: 400/470 W), so an idle one "
                 "nothing; the board is not named; memory estimate"},
      {.name = "m60",
       .idle = Watts(15),
       .peak = Watts(150),
       .memory_gib = 8,
       .source = "M60, one of a board's two GPUs: half the board's 300 W and its own 8 GB (data "
                 "sheet, from memory); idle 10 % of peak, estimate; sleep unpowered, estimate"},
      {.name = "gtx 1080ti",
       .idle = Watts(15),
       .peak = Watts(250),
       .memory_gib = 11,
       .source = "GTX 1080 Ti: peak and memory data sheet, from memory; idle estimate; sleep "
                 "unpowered, estimate"},
      {.name = "quadro p600",
       .idle = Watts(5),
       .peak = Watts(40),
       .memory_gib = 2,
       .source = "Quadro P600: peak and memory data sheet, from memory; idle estimate; sleep "
                 "unpowered, estimate"},
  };
}

GpuType cpu_core() {
  return {.name = "cpu-core",
          .idle = Watts(1),
          .peak = Watts(4.4),
          .memory_gib = 4,
          .source =
              "one core of an EPYC 7763: peak 280 W over 64 cores (mlco2/impact gpus.csv); "
              "clocks not modelled; idle and memory estimate; sleep unpowered, estimate"};
}

}  // namespace

std::span<const GpuType> gpu_catalogue() {
  static const std::vector<GpuType> all = [] {
    std::vector<GpuType> types;
    for (const auto part : {a100_and_later, a40_and_v100, older_gpus, smaller_gpus, andreas_gpus})
      for (GpuType& type : part()) types.push_back(std::move(type));
    types.push_back(cpu_core());
    return types;
  }();
  return all;
}

}  // namespace penstock
