#!/usr/bin/env bash
# make-data.sh COLLECTION: rebuilds data/*.gz from a folder that holds the public collections
# named in data/README.md. Run by hand when a sample changes; the same input gives the same bytes.
set -euo pipefail
[ $# = 1 ] || { echo "usage: tools/make-data.sh COLLECTION" >&2; exit 2; }
from=$(cd "$1" && pwd)
cd "$(dirname "$0")/../data"
mkdir -p licences workflows

pack() { gzip -9n >"$1.gz"; }                        # pack NAME: stdin as data/NAME.gz
whole() { pack "$2" <"$from/$1"; }                   # whole SOURCE NAME
first() { sed -n "1,$(($1 + 1))p" "$from/$2" | pack "$3"; } # first ROWS SOURCE NAME: and the header
licence() { cp "$from/$1" "licences/$2.txt"; chmod 644 "licences/$2.txt"; }

# The busy days from 8 December 2017 on: 2000 jobs in a row, of 64 GPUs at most, in order of time.
{
  sed -n 1p "$from/philly/philly_jobs.csv"
  sed '1d; /^$/d' "$from/philly/philly_jobs.csv" | LC_ALL=C sort |
    awk -F, '$3 <= 64 && $1 >= "2017-12-08 04:38:04" && n++ < 2000'
} | pack philly-sample.csv
whole philly/philly_jobs.csv philly.csv
licence philly/LICENSE.philly-traces.CC-BY-4.0.txt philly-traces.CC-BY-4.0
licence philly/LICENSE.ElasticFlow.Apache-2.0.txt elasticflow.Apache-2.0

whole dayahead_prices/DE-LU_2020-2022.csv price-de.csv
whole dayahead_prices/FR_2020-2022.csv price-fr.csv
whole weather_openmeteo/DE-LU_2020-2022.csv weather-de.csv
# The two years of which carbon is known everywhere, and a week for jobs that run on.
# The first hours of the weather are empty, and left out.
two_years() { awk -F, 'NR == 1 || ($1 < "2022-01-08" && $2 != "")' "$from/$1" | pack "$2"; }
two_years dayahead_prices/NL_2020-2022.csv price-nl.csv
two_years dayahead_prices/US-CAL-CISO_2020-2022.csv price-ciso.csv
two_years dayahead_prices/US-TEX-ERCO_2020-2022.csv price-erco.csv
two_years weather_openmeteo/US-CAL-CISO_2020-2022.csv weather-ciso.csv
two_years weather_openmeteo/US-TEX-ERCO_2020-2022.csv weather-erco.csv
licence dayahead_prices/LICENSE.MIT.txt green-dcc.MIT
{ printf region; cat "$from/network_cost/aws_transmission_cost_matrix.csv"; } >network-fee-aws.csv

whole carboncast_ci/DE_2020-2022.csv carbon-de.csv
whole carboncast_ci/FR_2020-2022.csv carbon-fr.csv
whole carboncast_ci/CISO_2020-2022.csv carbon-ciso.csv
whole carboncast_ci/ERCO_2020-2021.csv carbon-erco.csv
whole carboncast_ci/NL_2020-2021.csv carbon-nl.csv
whole carboncast_forecast/CISO_lifecycle_96h_2022H2.csv carbon-forecast-ciso.csv
licence carboncast_ci/LICENSE.Apache-2.0.txt carboncast.Apache-2.0

whole alibaba_gpu2023_openb/openb_pod_list_default.csv openb-pods.csv
whole alibaba_gpu2023_openb/openb_node_list_gpu_node.csv openb-nodes.csv
licence alibaba_gpu2023_openb/LICENSE.Apache-2.0.txt openb.Apache-2.0

whole nrel_eagle_sample/eagle_sample.swf eagle.swf
licence nrel_eagle_sample/LICENSE.BSD-3.txt eagle-jobs.BSD-3

whole surf_lisa_swf/surf_lisa_2022-10.swf lisa.swf
licence surf_lisa_swf/LICENSE.MIT.txt opendc.MIT

whole pollux_workloads/workloads/workload-1.csv pollux-1.csv
licence pollux_workloads/LICENSE.Apache-2.0.txt adaptdl.Apache-2.0

for name in 2869ce 0e4a51 11cb48 7f04ca ed69ec e13805 6214e9 b436b2 6c71a0 ee9e8c; do
  whole philly_gavel/msr_seed0/$name.trace gavel-$name.trace
done
whole philly_gavel/physical_cluster/max_min_fairness.trace gavel-physical.trace
licence philly_gavel/LICENSE.MIT.txt gavel.MIT

first 2000 philly_chronus_slo/trace_job_Philly_SLO.csv chronus.csv
licence philly_chronus_slo/LICENSE.MIT.txt chronus.MIT

whole elasticflow_throughputs/trace_philly_103959.csv elasticflow.csv

first 5000 alibaba_pai2020_gaia/pai-100k.csv pai.csv
# The whole of it, in ten-thousandths of an hour (0.36 s).
awk -F, 'NR == 1 { print; next } { printf "%.4f,%.4f,%d\n", $1, $2, $3 }' \
  "$from/alibaba_pai2020_gaia/pai-100k.csv" | tr -d '\r' | pack pai-100k.csv
# GAIA's years are hours from 0 on: January to April, and February to June, of a year of 365 days.
hours() { awk -F, -v from="$1" -v until="$2" 'NR == 1 || ($1 >= from && $1 < until)' "$from/$3" | pack "$4"; }
hours 0 2880 azure_vm_gaia/azure-100k.csv azure.csv
hours 744 4344 lanl_mustang_gaia/mustang-trace-2015-100k.csv mustang.csv
licence alibaba_pai2020_gaia/LICENSE.MIT.txt gaia.MIT
licence alibaba_pai2020_gaia/LICENSE.upstream.CC-BY-4.0.txt alibaba-pai.CC-BY-4.0

# Small tables that scenarios and tests read as they are.
mkdir -p andreas
for file in "$from"/andreas/*.csv; do cp "$file" "andreas/${file##*/}"; done
chmod 644 andreas/*.csv
licence andreas/LICENSE.Apache-2.0.txt andreas.Apache-2.0

for file in "$from"/wfinstances/*.json; do
  whole "wfinstances/${file##*/}" "workflows/${file##*/}"
done
cp "$from/wfinstances/LICENSE.LGPL-3.0.txt" workflows/LICENSE.LGPL-3.0.txt
chmod 644 workflows/LICENSE.LGPL-3.0.txt

# Measurements of speed and power, for penstock fit and tools/make-models.sh.
whole_folder() { # whole_folder SOURCE FOLDER: every table of a folder
  mkdir -p "profiles/$2"
  for file in "$from/$1"/*.csv; do whole "$1/${file##*/}" "profiles/$2/${file##*/}"; done
}
whole_folder elasticflow_throughputs/throughputs_A100 elasticflow/throughputs_A100
whole_folder elasticflow_throughputs/throughputs_T4 elasticflow/throughputs_T4
for model in bert cifar10 deepspeech2 imagenet ncf yolov3; do
  whole_folder "pollux_profiles/$model" "pollux/$model"
done
mkdir -p profiles/gavel profiles/zeus
whole gavel_throughputs/simulation_throughputs.json profiles/gavel/simulation_throughputs.json
for gpu in v100 a40 p100; do
  whole "zeus_nsdi23/summary_power_$gpu.csv" "profiles/zeus/summary_power_$gpu.csv"
done
whole_folder perseus_sosp24/stage_profile perseus
mkdir -p fronts/a100_sxm
for front in bloom_bf16_mb96 gpt3-175b_bf16_mb96; do
  whole "perseus_sosp24/iteration_time_energy/a100_sxm/$front.csv" "fronts/a100_sxm/$front.csv"
done
licence zeus_nsdi23/LICENSE.Apache-2.0.txt zeus.Apache-2.0
