#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "io/traces/trace.h"

namespace penstock {
namespace {

struct BadRow {
  std::string_view format{};
  std::string text{};
  std::string message{};
};

const std::string kPhilly = "timestamp,duration,num_gpus,gpu_time,cluster\n";
const std::string kChronus =
    "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,"
    "expect_time_list,expect_value_list,best_effort,job_type\n";
const std::string kOpenb =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
    "creation_time,deletion_time,scheduled_time\n";
const std::string kElasticflow = "job_id,submit_time,model_name,ddl,num_gpu,duration\n";
const std::string kPollux = "name,time,application,num_replicas,batch_size\n";
const std::string kHelios = "job_id,user,vc,gpu_num,submit_time,duration\n";
const std::string kCsv = "job,submitted,gpus,actual_s,deadline,parents,load\n";
const std::string kSacct = "JobID|Submit|Elapsed|AllocTRES\n";
const std::string kAndreas =
    "Jobs,Application,Epochs,Batchsize,GpuType,GpuNumber,TimePerEpoch,ExecutionTime\n";
const std::string kSwfTail = " -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n";

std::string bad_workflow(const std::string& tasks, const std::string& runs) {
  return R"({"workflow": {"specification": {"tasks": [)" + tasks +
         R"(]}, "execution": {"tasks": [)" + runs + "]}}}";
}
std::string batsim(const std::string& job, const std::string& profile) {
  return R"({"jobs": [)" + job + R"(], "profiles": {"p": )" + profile + "}}";
}

/// A good job but for one change.
std::string squeue(const std::string& change) {
  nlohmann::json job = nlohmann::json::parse(
      R"({"job_id": 7, "job_state": "COMPLETED", "submit_time": 100, "start_time": 200,
          "end_time": 260, "tres_per_job": "gres:gpu:3"})");
  job.update(nlohmann::json::parse("{" + change + "}"));
  return R"({"jobs": [)" + job.dump() + "]}";
}

const BadRow kBadRows[] = {
    {"philly", kPhilly + "2017-10-09 07:01:55,66,1,66\n", "x:2: row: has 4 cells, the head has 5"},
    {"philly", kPhilly + "2017-10-09 07:01:55,,1,66,a\n", "x:2: duration: is missing"},
    {"philly", kPhilly + "2017-10-09 07:01:55,nan,1,66,a\n",
     "x:2: duration: 'nan' is not a finite number"},
    {"philly", kPhilly + "2017-10-09 07:01:55,-5,1,66,a\n", "x:2: duration: -5 is not positive"},
    {"philly", kPhilly + "2017-10-09 07:01:55,0,1,66,a\n", "x:2: duration: 0 is not positive"},
    {"philly", kPhilly + "2017-10-09 07:01:55,1e300,1,66,a\n",
     "x:2: duration: 1e+300 is longer than 300 years"},
    {"philly", kPhilly + "2017-10-09 07:01:55,66,0,66,a\n", "x:2: num_gpus: 0 is not positive"},
    {"philly", kPhilly + "2017-10-09 07:01:55,66,-2,66,a\n", "x:2: num_gpus: -2 is not positive"},
    {"philly", kPhilly + "2017-10-09 07:01:55,66,1.5,66,a\n",
     "x:2: num_gpus: 1.5 is not a whole number"},
    {"philly", kPhilly + "2017-10-09 07:01:55,66,99999999,66,a\n",
     "x:2: num_gpus: 99999999 is more than any cluster has"},
    {"philly", kPhilly + "2017-10-09 07:01:55,66,many,66,a\n",
     "x:2: num_gpus: 'many' is not a finite number"},
    {"philly", kPhilly + "2017-13-09 07:01:55,66,1,66,a\n",
     "x:2: timestamp: '2017-13-09 07:01:55' is not a date like 2017-10-09 07:01:55"},
    {"philly", kPhilly + ",66,1,66,a\n", "x:2: timestamp: is missing"},
    {"philly", kPhilly + "1969-12-31 23:59:59,66,1,66,a\n",
     "x:2: timestamp: 1969-12-31 23:59:59 is before 1970"},
    {"philly", "time,duration\n", "x: no column 'timestamp'; there are: time duration"},
    {"philly", "[{\"jobid\": \"a\",\n \"vc\": }]", "x:2: is not valid JSON from here on"},
    {"philly", R"({"jobs": []})", "x: is not a list of jobs"},
    {"philly",
     R"([{"jobid": "a", "user": "u", "vc": "v", "submitted_time": "2017-10-09 07:00:00",
          "attempts": [{"start_time": "2017-10-09 07:01:00", "end_time": null}]}])",
     "x:jobs[0]: end_time: is missing"},
    {"philly", R"([{"jobid": "a", "user": "u", "vc": 1.5, "submitted_time": "2017-10-09"}])",
     "x:jobs[0]: vc: is not a text"},
    {"swf", "1 0 1 10 4\n", "x:1: row: has 5 fields instead of 18"},
    {"swf", "1 0 1 -1 4" + kSwfTail, "x:1: run time: -1 is not positive"},
    {"swf", "1 0 1 10 0 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
     "x:1: processors: 0 is not positive"},
    {"swf", "1 -7 1 10 4" + kSwfTail, "x:1: submit time: -7 is before t = 0 (1970)"},
    {"swf", "1 0 1 10 4" + kSwfTail + "1 5 1 10 4" + kSwfTail,
     "x:2: job number: '1' was there before"},
    {"swf", "; UnixStartTime: soon\n", "x:1: UnixStartTime: 'soon' is not a whole number in range"},
    {"swf", "; nothing\n", "x: has no jobs"},
    {"helios", kHelios + "1,u,v,-1,2020-04-01 00:00:00,5\n", "x:2: gpu_num: -1 is not positive"},
    {"pai", "arrival_time,length,cpus\n1.5,inf,1\n", "x:2: length: 'inf' is not a finite number"},
    {"openb", kOpenb + "p,1,1,1,0,,LS,Running,0,10,0\n",
     "x:2: gpu_milli: 0 is not between 1 and 1000"},
    {"openb", kOpenb + "p,1,1,1,1000,,LS,Running,0,10,20\n",
     "x:2: deletion_time less scheduled_time: -10 is not positive"},
    {"openb", kOpenb + "p,1,1,0,0,,LS,Running,0,10,0\n",
     "x: has no jobs; 1 rows dropped (num_gpu: 0, a pod without GPUs)"},
    {"gavel", "A3C\tcmd\t-n\t1\t100\t0\n",
     "x:1: row: has 6 fields between tabs instead of 7 or 10"},
    {"gavel", "GPT-7\tcmd\t-n\t1\t100\t0\t1\n",
     "x:1: job type: no V100 throughput is known for 'GPT-7' on 1 GPUs"},
    {"gavel", "A3C\tcmd\tdir\t-n\t1\t100\t8\t1\t-1\t0\n",
     "x:1: job type: no V100 throughput is known for 'A3C' on 8 GPUs"},
    {"gavel", "A3C\tcmd\t-n\t1\t0\t0\t1\n", "x:1: steps: 0 is not positive"},
    {"pollux", kPollux + "a,1,gpt,1,128\n",
     "x:2: application: 'gpt' is unknown; there are: bert cifar10 deepspeech2 imagenet ncf yolov3"},
    {"pollux", kPollux + "a,1,bert,17,12\n",
     "x:2: num_replicas: 17 GPUs were not measured; 1 to 16, 20, 24, 28, 32, 40, 48, 56 and 64 "
     "were"},
    {"pollux", kPollux + "a,1,bert,1,13\n",
     "x:2: batch_size: 13 was not measured for bert; 12 times 1, 2, 4 … were"},
    {"elasticflow", kElasticflow + "1,100,vgg16,50,1,10\n",
     "x:2: ddl: lies before the submission of the job"},
    {"chronus", kChronus + "7,vc,0,5,1,vgg16,31,5,66,10,0,strict\n",
     "x:2: num_gpu: 0 is not positive"},
    {"chronus", kChronus + "7,vc,1,5,1,vgg16,31,5,-66,10,0,strict\n",
     "x:2: expect_time_list: -66 is not positive"},
    {"batsim", batsim(R"({"id": 1, "subtime": 0, "res": 1, "profile": "q"})", "{}"),
     "x:jobs[0]: profile: there is no profile 'q'"},
    {"batsim",
     batsim(R"({"id": 1, "subtime": 0, "res": 1, "profile": "p"})", R"({"type": "smpi"})"),
     "x:jobs[0]: type: 'smpi' is not supported; there are: delay parallel_homogeneous"},
    {"batsim", batsim(R"({"id": 1, "subtime": 0, "profile": "p"})", R"({"type": "delay"})"),
     "x:jobs[0]: res: is missing"},
    {"batsim", R"({"profiles": {}})", "x: jobs: is not a list"},
    {"wfformat", bad_workflow(R"({"id": "a", "parents": ["b"]})", ""),
     "x:tasks[0]: 'a': parents: there is no task 'b'"},
    {"wfformat",
     bad_workflow(R"({"id": "a", "parents": ["c"]}, {"id": "b", "parents": ["a"]},
                 {"id": "c", "parents": ["b"]}, {"id": "d", "parents": ["a"]})",
                  ""),
     "x: tasks: 'a' waits for itself: a after c after b after a"},
    {"wfformat", bad_workflow(R"({"id": "a"})", ""),
     "x:tasks[0]: runtimeInSeconds: is missing: the task is not under execution"},
    {"wfformat", bad_workflow(R"({"id": "a"})", R"({"id": "a", "runtimeInSeconds": 0})"),
     "x:tasks[0]: runtimeInSeconds: 0 is not positive"},
    {"wfformat", "{}", "x: workflow.specification.tasks: is not a list"},
    {"csv", kCsv + "0,2020-01-01,1,5,2019-01-01,,\n",
     "x:2: deadline: lies before the submission of the job"},
    {"csv", kCsv + "0,2020-01-01,1,5,,3,\n", "x:2: parents: no row above is job '3'"},
    {"csv", kCsv + "0,2020-01-01,1,5,,,7\n", "x:2: load: 7 is not between 0 and 1"},
    {"csv", "submitted,gpus,actual_s,batch\n2020-01-01,1,5,-8\n", "x:2: batch: -8 is negative"},
    {"csv", "submitted,gpus,actual_s,prioritty\n",
     "x: unknown column 'prioritty'; did you mean 'priority'?"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,1,4,-400\n",
     "x:2: ExecutionTime: -400 is not positive"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,1,4,\n", "x:2: ExecutionTime: is missing"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,1,,400\n", "x:2: TimePerEpoch: is missing"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,1,4,500\n",
     "x:2: ExecutionTime: 500 is not TimePerEpoch x Epochs, which is 400"},
    {"andreas", kAndreas + "J1,LSTM,0,64,TESLA,1,4,400\n", "x:2: Epochs: 0 is not positive"},
    {"andreas", kAndreas + "J1,LSTM,100,64,,1,4,400\n", "x:2: GpuType: is missing"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,1.5,4,400\n",
     "x:2: GpuNumber: 1.5 is not a whole number"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,5000,4,400\n",
     "x:2: GpuNumber: 5000 is more than a node has"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,1,4,400\nJ1,LSTM,100,64,TESLA,1,4,400\n",
     "x:3: GpuNumber: 'J1' on 1 TESLA was there before"},
    {"andreas", kAndreas + "J1,LSTM,100,64,TESLA,1,4,400\nJ1,LSTM,200,64,TESLA,2,4,800\n",
     "x:3: Jobs: 'J1' was another application, batch or number of epochs before"},
    {"andreas", "Jobs,Application,Epochs,Batchsize,GpuType,GpuNumber,TimePerEpoch\n",
     "x: no column 'ExecutionTime'; there are: Jobs Application Epochs Batchsize GpuType GpuNumber "
     "TimePerEpoch"},
    {"andreas", kAndreas, "x: has no rows"},
    {"sacct", R"({"jobs": {}})",
     "x: jobs: is no list; possible: what sacct --json or squeue --json prints"},
    {"sacct", R"({"jobs": [{"job_state": "FAILED"}]})", "x:jobs[0]: job_id: is missing"},
    {"sacct", R"({"jobs": [{"job_id": "x", "job_state": "FAILED"}]})",
     "x:jobs[0]: job_id: is not a number"},
    {"sacct", squeue(R"("job_state": true)"), "x:jobs[0]: job_state: is not a text"},
    {"sacct", squeue(R"("end_time": "soon")"), "x:jobs[0]: end_time: is not a number"},
    {"sacct", squeue(R"("end_time": 100)"), "x:jobs[0]: end_time: -100 is not positive"},
    {"sacct", squeue(R"("tres_per_job": "", "tres_per_socket": "gres:gpu:2")"),
     "x:jobs[0]: tres_per_socket: names GPUs, but not on how many sockets the job ran"},
    {"sacct", squeue(R"("tres_per_job": "", "tres_per_task": "gres:gpu:2")"),
     "x:jobs[0]: tasks: is missing"},
    {"sacct", squeue(R"("user_name": "a\u0007b")"),
     "x:jobs[0]: user_name: holds control characters"},
    {"sacct", R"({"jobs": [{"job_id": 1, "state": {"current": "FAILED"}, "time": {}}]})",
     "x:jobs[0]: submission: is missing"},
    {"sacct", kSacct + "1|2024-03-01T00:00:00|long|gres/gpu=1\n",
     "x:2: Elapsed: 'long' is not like 1-02:03:04"},
    {"sacct", "JobID|Submit|Elapsed\n",
     "x: no column AllocTRES, ReqTRES or NNodes tells the size of jobs"},
};

TEST(BadRows, stop_a_strict_reading_with_their_place_field_and_reason) {
  for (const auto& bad : kBadRows) {
    const auto trace = parse_trace(bad.text, "x", bad.format, {});
    ASSERT_FALSE(trace) << bad.format << ": " << bad.text;
    EXPECT_EQ(trace.error().message, bad.message);
  }
}

TEST(BadRows, are_dropped_counted_and_shown_by_a_lenient_reading) {
  std::string text = kPhilly + "2017-10-09 07:00:00,66,1,66,a\n";
  for (int i = 0; i < 5; ++i) text += "2017-10-09 07:00:00,66,0,66,a\n";
  text += "2017-10-09 07:00:00,nan,1,66,a\n";
  const auto trace = parse_trace(text, "x", "philly", {.strict = false});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->report.rows_read, 7u);
  EXPECT_EQ(trace->report.rows_kept, 1u);
  ASSERT_EQ(trace->report.bad.size(), 2u);
  EXPECT_EQ(trace->report.bad[0].reason, "num_gpus: not positive");
  EXPECT_EQ(trace->report.bad[0].count, 5u);
  EXPECT_EQ(trace->report.bad[0].examples,
            (std::vector<std::string>{"x:3: num_gpus: 0 is not positive",
                                      "x:4: num_gpus: 0 is not positive",
                                      "x:5: num_gpus: 0 is not positive"}));
  EXPECT_EQ(trace->report.bad[1].reason, "duration: not a number");
}

TEST(BadRows, leave_an_empty_trace_which_is_an_error) {
  const auto trace =
      parse_trace(kPhilly + "2017-10-09 07:00:00,66,0,66,a\n", "x", "philly", {.strict = false});
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message, "x: has no jobs; 1 rows dropped (num_gpus: not positive)");
}

TEST(BadRows, of_a_workflow_hand_their_parents_on_to_their_children) {
  const auto text =
      bad_workflow(R"({"id": "c", "parents": ["b"]}, {"id": "b", "parents": ["a"]}, {"id": "a"})",
                   R"({"id": "a", "runtimeInSeconds": 1}, {"id": "b", "runtimeInSeconds": 0},
         {"id": "c", "runtimeInSeconds": 3})");
  const auto trace = parse_trace(text, "x", "wfformat", {.strict = false});
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->jobs.size(), 2u);
  EXPECT_EQ(trace->jobs[1].job.name, "c");
  EXPECT_EQ(trace->jobs[1].job.parents, std::vector{JobId{0}});
}

TEST(ReadTrace, names_a_missing_file_and_lists_the_formats) {
  EXPECT_EQ(read_trace("no/such.csv", "philly", {}).error().message, "no/such.csv: no such file");
  EXPECT_EQ(
      parse_trace("", "x", "phily", {}).error().message,
      "no trace format 'phily'; there are: swf philly helios pai openb gavel pollux "
      "elasticflow chronus batsim wfformat andreas csv sacct journal; did you mean 'philly'?");
}

}  // namespace
}  // namespace penstock
