#!/usr/bin/env python3
"""Whatever is wrong with the input: exit code 2, a message that says where and what is possible, and nothing left behind."""
import gzip
import json
import pathlib
import tempfile
import unittest

from program import files_below, main, penstock

SCENARIO = """\
name = "small"

[workload]
trace  = "jobs.csv"
format = "csv"

[[site]]
name   = "lab"
price  = { fixed = "0.10 EUR/kWh" }
carbon = { fixed = "400 g/kWh" }
[[site.nodes]]
count = 1
gpus  = 4
gpu   = "a100"

[policy]
name = "fifo"
"""
PRICE = '{ fixed = "0.10 EUR/kWh" }'
PRICE_FILE = '{ file = "price.csv", column = "p", unit = "EUR/MWh" }'
JOBS = "job,submitted,gpus,actual_s\n0,2022-03-01T00:00Z,1,60\n1,2022-03-01T00:01Z,4,60\n"
PRICES = "time,p\n2022-03-01T00:00Z,50\n2022-03-01T01:00Z,-500\n2022-03-01T02:00Z,9000\n"
FORMATS = "swf philly helios pai openb gavel pollux elasticflow chronus batsim wfformat andreas csv sacct journal"
POLICIES = "fifo sjf srtf smallest edf priority wfp3 unicep f1 f2 f3 f4 las tiresias gandiva afs optimus pollux sia powerflow andreas geo price-wait carbon-wait rl mars"
GPUS = "h100 a100 a100-40gb a40 v100 v100-32gb p100 k80 t4 a10g l4 rtx2080ti tesla turing m60 gtx 1080ti quadro p600 cpu-core"
SIMULATE = ["simulate", "s.toml", "--out", "out", "--no-progress"]


class BadInput(unittest.TestCase):
    maxDiff = None

    def run_in_world(self, arguments, change, files):
        """Runs in a folder with a good scenario, `change`d (old text -> new), and `files` beside it."""
        text = SCENARIO
        for old, new in change.items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder).resolve()
            for name, content in {"s.toml": text, "jobs.csv": JOBS, "price.csv": PRICES, **files}.items():
                (here / name).parent.mkdir(exist_ok=True)
                (here / name).write_bytes(content.encode() if isinstance(content, str) else content)
            before = files_below(here)
            done = penstock(*arguments, cwd=here)
            new = [name for name in files_below(here) if name not in before]
            return done.returncode, done.stdout, done.stderr.replace(str(here), "HERE"), new

    def assert_refused(self, message, arguments=None, change=None, files=None):
        done = self.run_in_world(arguments or SIMULATE, change or {}, files or {})
        self.assertEqual(done, (2, "", message + "\n", []))

    def assert_fine(self, arguments=None, change=None, files=None):
        code, _, stderr, new = self.run_in_world(arguments or SIMULATE, change or {}, files or {})
        self.assertEqual((code, new[0]), (0, "out"), stderr)


class GoodInput(BadInput):
    def test_the_world_of_these_tests_is_fine(self):
        self.assert_fine()
        self.assert_fine(change={PRICE: PRICE_FILE})  # with negative and extreme prices


class Files(BadInput):
    def test_a_missing_file(self):
        self.assert_refused("nowhere.toml: no such file", ["simulate", "nowhere.toml", "--out", "out"])
        self.assert_refused("nowhere.toml: no such file", ["validate", "nowhere.toml"])
        self.assert_refused("nowhere.csv: no such file", ["trace", "inspect", "nowhere.csv"])
        self.assert_refused("nowhere.csv: no such file", ["trace", "generate", "--like", "nowhere.csv"])
        self.assert_refused("s.toml:4: workload.trace: nowhere.csv: no such file", change={"jobs.csv": "nowhere.csv"})
        self.assert_refused("s.toml:9: site.price: nowhere.csv: no such file",
                            change={PRICE: PRICE_FILE.replace("price.csv", "nowhere.csv")})

    def test_a_directory_instead_of_a_file(self):
        self.assert_refused(".: is a directory, not a file", ["simulate", ".", "--out", "out"])

    def test_damaged_gzip(self):
        whole = gzip.compress(JOBS.encode(), mtime=0)
        change = {"jobs.csv": "jobs.csv.gz"}
        self.assert_refused("jobs.csv.gz: is cut short: its gzip data has no end", change=change, files={"jobs.csv.gz": whole[:-10]})
        self.assert_refused("jobs.csv.gz: is corrupt: not valid gzip data", change=change, files={"jobs.csv.gz": whole[:2] + b"no"})

    def test_a_directory_that_cannot_be_written(self):
        self.assert_refused("cannot write to HERE/jobs.csv/out: Not a directory", ["simulate", "s.toml", "--out", "jobs.csv/out"])
        self.assert_refused("cannot write to HERE/jobs.csv: it is there and not a directory",
                            ["simulate", "s.toml", "--out", "jobs.csv"])
        self.assert_refused("cannot write to '': a directory needs a name", ["simulate", "s.toml", "--out", ""])
        self.assert_refused("cannot write to HERE/s.toml/x: Not a directory", ["trace", "generate", "--out", "s.toml/x"])

    def test_a_directory_that_is_not_ours(self):
        self.assert_refused("cannot write to HERE/mine: it is not empty and holds no summary.json, so it is not ours to replace; "
                            "name a new directory, an empty one or one with earlier results",
                            ["simulate", "s.toml", "--out", "mine"], files={"mine/thesis.txt": "precious"})


class Traces(BadInput):
    def assert_row_refused(self, row, message):
        self.assert_refused(message, files={"jobs.csv": JOBS + row + "\n"})

    def test_an_empty_trace(self):
        self.assert_refused("jobs.csv: is empty", files={"jobs.csv": ""})
        self.assert_refused("jobs.csv: has no jobs", files={"jobs.csv": JOBS.splitlines()[0] + "\n"})

    def test_a_window_behind_the_end(self):
        self.assert_refused("jobs.csv: skip: 2 of 2 jobs leaves none; possible: at most 1", [*SIMULATE, "--set", "workload.skip=2"])
        self.assert_fine([*SIMULATE, "--set", "workload.skip=1"])

    def test_a_workflow_that_waits_for_itself_or_for_nobody(self):
        runs = '{"id": "a", "runtimeInSeconds": 9}, {"id": "b", "runtimeInSeconds": 9}'

        def assert_stream(check, parents, *message):
            tasks = f'{{"id": "a", "parents": {parents}}}, {{"id": "b", "parents": ["a"]}}'
            text = f'{{"workflow": {{"specification": {{"tasks": [{tasks}]}}, "execution": {{"tasks": [{runs}]}}}}}}'
            change = {'trace  = "jobs.csv"\nformat = "csv"': 'workflows = { files = "w.json", count = 2 }'}
            check(*message, change=change, files={"w.json": text})

        assert_stream(self.assert_fine, "[]")
        assert_stream(self.assert_refused, '["b"]',
                      "s.toml:4: workload.workflows.files: w.json: tasks: 'a' waits for itself: a after b after a")
        assert_stream(self.assert_refused, '["c"]',
                      "s.toml:4: workload.workflows.files: w.json:tasks[0]: 'a': parents: there is no task 'c'")

    def test_zero_or_negative_gpus(self):
        self.assert_row_refused("2,2022-03-01T00:02Z,0,60", "jobs.csv:4: gpus: 0 is not positive")
        self.assert_row_refused("2,2022-03-01T00:02Z,-3,60", "jobs.csv:4: gpus: -3 is not positive")

    def test_not_a_number_and_infinity(self):
        self.assert_row_refused("2,2022-03-01T00:02Z,nan,60", "jobs.csv:4: gpus: 'nan' is not a finite number")
        self.assert_row_refused("2,2022-03-01T00:02Z,1,NaN", "jobs.csv:4: actual_s: 'NaN' is not a finite number")
        self.assert_row_refused("2,2022-03-01T00:02Z,1,inf", "jobs.csv:4: actual_s: 'inf' is not a finite number")
        self.assert_row_refused("2,2022-03-01T00:02Z,1,-5", "jobs.csv:4: actual_s: -5 is not positive")

    def test_times_before_1970_or_never(self):
        self.assert_row_refused("2,1969-12-31T23:59Z,1,60", "jobs.csv:4: submitted: 1969-12-31T23:59Z is before 1970")
        self.assert_row_refused("2,2022-02-30T23:59Z,1,60",
                                "jobs.csv:4: submitted: '2022-02-30T23:59Z' is not a date like 2017-10-09 07:01:55")

    def test_times_out_of_order_are_sorted_and_told(self):
        code, _, stderr, _ = self.run_in_world(SIMULATE, {}, {"jobs.csv": JOBS + "2,2022-02-01T00:02Z,1,60\n"})
        self.assertEqual((code, stderr), (0, "note: jobs.csv: sorted: the file is not in order of submission\nwrote out\nreport: out/report.html\n"))

    def test_a_duplicated_id(self):
        self.assert_row_refused("1,2022-03-01T00:02Z,1,60", "jobs.csv:4: job: '1' was there before")

    def test_a_torn_row(self):
        self.assert_row_refused("2,2022-03-01T00:02Z,1", "jobs.csv:4: row: has 3 cells, the head has 4")

    def test_a_typo_in_a_column(self):
        self.assert_refused("jobs.csv: no column 'submitted'; there are: job submited gpus actual_s; did you mean 'submited'?",
                            files={"jobs.csv": JOBS.replace("submitted", "submited")})

    def test_a_job_larger_than_the_cluster(self):
        self.assert_row_refused("2,2022-03-01T00:02Z,5,60",
                                "jobs.csv: 1 job can never run: job '2' asks for 5 GPUs; at most 4 can be had in one place; "
                                'possible: a larger site, workload.gpus_max or workload.oversized = "drop"')

    def test_jobs_that_wait_for_each_other(self):
        tasks = [{"name": id, "id": id, "parents": [other], "children": [other]} for id, other in ("ab", "ba")]
        times = [{"id": id, "runtimeInSeconds": 3, "coreCount": 1} for id in "ab"]
        workflow = {"specification": {"tasks": tasks}, "execution": {"tasks": times}}
        self.assert_refused("w.json: tasks: 'a' waits for itself: a after b after a", change={"jobs.csv": "w.json", '"csv"': '"wfformat"'},
                            files={"w.json": json.dumps({"name": "w", "schemaVersion": "1.5", "workflow": workflow})})
        self.assert_refused("jobs.csv:2: parents: no row above is job '1'",
                            files={"jobs.csv": "job,submitted,gpus,actual_s,parents\n0,2022-03-01,1,5,1\n1,2022-03-01,1,5,0\n"})

    def test_an_unknown_format(self):
        self.assert_refused(f"s.toml:5: workload.format: there is no format 'cvs'; there are: {FORMATS}; did you mean 'csv'?",
                            change={'"csv"': '"cvs"'})
        self.assert_refused(f"s.toml: cannot tell the format; name it with --format: {FORMATS}", ["trace", "inspect", "s.toml"])
        self.assert_refused(f"no trace format 'xx'; there are: {FORMATS}", ["trace", "inspect", "jobs.csv", "--format", "xx"])


class Signals(BadInput):
    def assert_series_refused(self, rows, message):
        self.assert_refused("s.toml:9: site.price: " + message, change={PRICE: PRICE_FILE}, files={"price.csv": "time,p\n" + rows})

    def test_one_that_ends_too_early(self):
        self.assert_series_refused("2022-02-01T00:00Z,50\n2022-02-01T01:00Z,60\n",
                                   "price.csv ends at 2022-02-01T02:00:00Z, before the last job comes at 2022-03-01T00:01:00Z; possible: "
                                   'after_end = "hold" or "repeat", an earlier workload.start, workload.limit, or a longer series')

    def test_one_that_ends_during_the_run(self):
        self.assert_refused("s.toml:9: site.price: price.csv ends at 2022-03-01T03:00:00Z, but the run lasts until 2022-03-02T00:02:00Z; "
                            'possible: a longer series, after_end = "hold" or after_end = "repeat"',
                            change={PRICE: PRICE_FILE}, files={"jobs.csv": JOBS + "2,2022-03-01T00:02Z,1,86400\n"})

    def test_one_that_begins_too_late(self):
        self.assert_series_refused("2022-03-02T00:00Z,50\n2022-03-02T01:00Z,60\n",
                                   "price.csv begins at 2022-03-02T00:00:00Z, after the first job at 2022-03-01T00:00:00Z; "
                                   "possible: a later workload.start or workload.from, or a longer series")

    def test_holes(self):
        self.assert_series_refused("2022-03-01T00:00Z,1\n2022-03-01T01:00Z,2\n2022-03-01T02:00Z,3\n2022-03-01T04:00Z,4\n",
                                   "price.csv:5: time: nothing between 2022-03-01T02:00:00Z and 2022-03-01T04:00:00Z, where rows are "
                                   '1 h apart; fill holes with gap = "hold" or gap = "interpolate"')
        self.assert_series_refused("2022-03-01T00:00Z,1\n2022-03-01T01:00Z,NaN\n2022-03-01T02:00Z,3\n",
                                   'price.csv:3: p: is missing; fill holes with gap = "hold" or gap = "interpolate"')

    def test_times_before_1970_twice_or_out_of_order(self):
        self.assert_series_refused("1969-03-01T00:00Z,1\n", "price.csv:2: time: '1969-03-01T00:00Z' is before 1970")
        self.assert_series_refused("2022-03-01T01:00Z,1\n2022-03-01T01:00Z,2\n", "price.csv:3: time: 2022-03-01T01:00:00Z appears twice")
        self.assert_series_refused("2022-03-01T01:00Z,1\n2022-03-01T00:00Z,2\n",
                                   "price.csv:3: time: 2022-03-01T00:00:00Z is out of order: the row before is 2022-03-01T01:00:00Z")

    def test_nothing_or_text(self):
        self.assert_series_refused("", "price.csv: p: has no values")
        self.assert_series_refused("2022-03-01T00:00Z,dear\n", "price.csv:2: p: 'dear' is not a finite number")

    def test_an_unknown_unit(self):
        units = "a price can be in: EUR/kWh EUR/MWh USD/kWh USD/MWh ct/kWh (or another currency)"
        self.assert_refused(f"s.toml:9: site.price.fixed: unknown unit 'EUR/kW'; {units}", change={"EUR/kWh": "EUR/kW"})
        self.assert_refused(f"s.toml:9: site.price.unit: unknown unit 'EUR/MW'; {units}",
                            change={PRICE: PRICE_FILE.replace("MWh", "MW")})

    def test_two_currencies(self):
        self.assert_refused("s.toml:9: site.price: is in EUR, but costs.currency says USD; currencies are never mixed: "
                            "convert the series first, or say in costs.exchange what a EUR is worth", change={"[policy]": '[costs]\ncurrency = "USD"\n[policy]'})
        self.assert_refused("s.toml:17: costs.carbon_price: is in USD, but site.price at s.toml:9 is in EUR; currencies are never "
                            "mixed: convert the series first, or say in costs.exchange what a USD is worth", change={"[policy]": '[costs]\ncarbon_price = "80 USD/t"\n[policy]'})


class Scenarios(BadInput):
    def test_no_toml(self):
        self.assert_refused("s.toml:1: is not valid TOML: Error while parsing key-value pair: expected value, saw '\\n'",
                            change={'name = "small"\n': "name = \n"})

    def test_a_typo_in_a_key(self):
        self.assert_refused("s.toml:10: site.carbn: unknown key; did you mean 'carbon'?", change={"carbon =": "carbn ="})
        self.assert_refused("s.toml:16: polic: unknown key; did you mean 'policy'?", change={"[policy]": "[polic]"})
        self.assert_refused("--set site.peu=1: site.peu: unknown key; did you mean 'pue'?", [*SIMULATE, "--set", "site.peu=1"])
        self.assert_refused("s.toml: [sweep] site.peu=1: site.peu: unknown key; did you mean 'pue'?",
                            change={"[policy]": '[sweep]\n"site.peu" = [1, 2]\n[policy]'})

    def test_numbers_that_cannot_be(self):
        self.assert_refused("s.toml:13: site.nodes.gpus: must be at least 1, not 0", change={"gpus  = 4": "gpus  = 0"})
        self.assert_refused("s.toml:13: site.nodes.gpus: must be at least 1, not -4", change={"gpus  = 4": "gpus  = -4"})
        self.assert_refused("s.toml:13: site.nodes.gpus: must be a whole number, not text", change={"gpus  = 4": 'gpus  = "four"'})
        self.assert_refused("s.toml:9: site.price.fixed: 'nan EUR/kWh' does not begin with a finite number", change={"0.10": "nan"})
        self.assert_refused("--set site.pue=nan: site.pue: must be a finite number, not nan", [*SIMULATE, "--set", "site.pue=nan"])

    def test_an_unknown_policy(self):
        self.assert_refused(f"s.toml:17: policy.name: no policy 'ffo'; there are: {POLICIES}; did you mean 'fifo'?",
                            change={'"fifo"': '"ffo"'})
        self.assert_refused(f"--policy: no policy 'ffo'; there are: {POLICIES}; did you mean 'fifo'?", [*SIMULATE, "--policy", "las,ffo"])

    def test_an_unknown_option_or_value_of_a_policy(self):
        possible = "none, easy, conservative, or how many blocked jobs keep a reservation"
        typo = "policy 'fifo' has no option 'backfil'; there are: backfill place clock; did you mean 'backfill'?"
        wrong = f"policy 'fifo': backfill: 'eazy' is not possible; {possible}"
        self.assert_refused(f"s.toml:18: policy.backfil: {typo}", change={'"fifo"': '"fifo"\nbackfil = "easy"'})
        self.assert_refused(f"s.toml:18: policy.backfill: {wrong}", change={'"fifo"': '"fifo"\nbackfill = "eazy"'})
        self.assert_refused(f"--policy: {typo}", [*SIMULATE, "--policy", "fifo:backfil=easy"])
        self.assert_refused(f"--policy: {wrong}", [*SIMULATE, "--policy", "fifo:backfill=eazy"])
        self.assert_refused("--policy: 'fifo:easy' is not name:option=value:...", [*SIMULATE, "--policy", "fifo:easy"])
        self.assert_refused(f"s.toml: [sweep] policy.backfill=eazy: policy.backfill: {wrong}",
                            change={"[policy]": '[sweep]\n"policy.backfill" = ["easy", "eazy"]\n[policy]'})

    def test_everything_at_once(self):
        problems = ["s.toml:10: site.carbn: unknown key; did you mean 'carbon'?", "s.toml:13: site.nodes.gpus: must be at least 1, not 0",
                    f"s.toml:14: site.nodes.gpu: there is no GPU type 'a1000'; there are: {GPUS}; did you mean 'a100'?",
                    f"s.toml:17: policy.name: no policy 'ffo'; there are: {POLICIES}; did you mean 'fifo'?"]
        change = {"carbon =": "carbn =", "gpus  = 4": "gpus  = 0", '"a100"': '"a1000"', '"fifo"': '"ffo"'}
        self.assert_refused("\n".join(problems), change=change)
        self.assert_refused("\n".join(problems), ["validate", "s.toml"], change=change)

    def test_a_site_that_is_not_there(self):
        self.assert_refused("--set site.berlin.pue=1.2: site.berlin: unknown key; possible here: name region cloud_region utc_offset dst outage price carbon "
                            "temperature pue cap forecast nodes", [*SIMULATE, "--set", "site.berlin.pue=1.2"])


class Sites(BadInput):
    """A second site, a network, and jobs that have their homes at either."""
    SITE = '[[site]]\nname = "annex"\nregion = "EU"\nnodes = [{ gpus = 4, gpu = "a100" }]\n'
    NETWORK = "[network]\n"
    ORIGINS = '[workload.origins]\nfiles = "2 GB"\n'
    GEO = {'name = "fifo"': 'name = "geo"'}

    def world(self, more="", **changed):
        parts = {"site": self.SITE, "network": self.NETWORK, "origins": self.ORIGINS, **changed}
        return {'name   = "lab"': 'name   = "lab"\nregion = "EU"', "[policy]": "".join(parts.values()) + more + "[policy]"}

    def test_the_world_of_these_tests_is_fine(self):
        self.assert_fine(change={**self.world(), **self.GEO})
        self.assert_fine(change={**self.world(), '[policy]\nname = "fifo"\n': ""})

    def test_a_policy_that_knows_one_place(self):
        message = ("policy 'fifo' knows one place only, but jobs have their homes at several sites (workload.origins); "
                   "possible: --policy geo:router=local:site=fifo:site.backfill=easy")
        self.assert_refused(message, change={**self.world(), 'name = "fifo"': 'name = "fifo"\nbackfill = "easy"'})
        self.assert_refused(message, ["validate", "s.toml", "--set", "policy.backfill=easy"], change=self.world())
        self.assert_refused(message, [*SIMULATE, "--policy", "fifo:backfill=easy"], change={**self.world(), **self.GEO})

    def test_a_pair_that_nothing_joins(self):
        self.assert_refused("s.toml:21: network: nothing says how files get from 'lab' to 'annex'; possible: site.region of both "
                            "(the built-in table has no EU-SA), or a [[network.link]] with throughput and round_trip",
                            change=self.world(site=self.SITE.replace("EU", "SA")))

    def test_no_bandwidth(self):
        link = '[[network.link]]\nfrom = "lab"\nto = "annex"\nthroughput = "0 Mbps"\n'
        self.assert_refused("s.toml:24: network.link.throughput: must be more than 0 and at most 1000000 Gbps; possible: closed = true "
                            "where nothing may be sent", change=self.world(network=link))

    def test_a_home_that_is_not_there(self):
        self.assert_refused("s.toml:23: workload.origins.weights.labb: there is no such site; there are: lab annex; did you mean 'lab'?",
                            change=self.world(origins="[workload.origins]\nweights = { labb = 1 }\n"))

    def test_homes_without_a_network(self):
        self.assert_refused("s.toml:21: workload.origins: needs [network], which says how files get about",
                            change=self.world(network=""))

    def test_a_fee_in_another_currency(self):
        self.assert_refused("s.toml:22: network.fee: is in USD, but site.price at s.toml:10 is in EUR; currencies are never mixed: "
                            "convert the series first, or say in costs.exchange what a USD is worth",
                            change=self.world(network='[network]\nfee = "0.02 USD/GB"\n'))
        self.assert_fine(change={**self.world("[costs]\ncurrency = \"EUR\"\nexchange = { USD = 0.9 }\n",
                                              network='[network]\nfee = "0.02 USD/GB"\n'), **self.GEO})

    def test_a_site_without_gpus(self):
        self.assert_refused("s.toml:20: site.nodes.gpus: must be at least 1, not 0",
                            change=self.world(site=self.SITE.replace("gpus = 4", "gpus = 0")))
        self.assert_refused("s.toml:17: site.nodes: is missing; write [[site.nodes]] with count, gpus and gpu",
                            change=self.world(site='[[site]]\nname = "annex"\nregion = "EU"\n'))

    def test_a_series_of_one_site_that_ends_too_early(self):
        price = 'price = { file = "short.csv", column = "p", unit = "EUR/MWh" }\n'
        self.assert_refused("s.toml:21: site.price of 'annex': short.csv ends at 2022-02-01T02:00:00Z, before the last job comes at "
                            "2022-03-01T00:01:00Z; possible: after_end = \"hold\" or \"repeat\", an earlier workload.start, "
                            "workload.limit, or a longer series",
                            change={**self.world(site=self.SITE + price), **self.GEO},
                            files={"short.csv": "time,p\n2022-02-01T00:00Z,50\n2022-02-01T01:00Z,-5\n"})


class CommandLine(BadInput):
    def test_an_unknown_command(self):
        self.assert_refused("penstock: there is no command 'simulat'; there are: simulate report validate policies trace fit bound plan study train sweep serve submit queue explain cancel pause resume agent savings; did you mean "
                            "'simulate'?\nTry: penstock --help", ["simulat", "s.toml"])
        self.assert_refused("penstock trace: there is no command 'inspec'; there are: inspect convert generate; did you mean 'inspect'?\n"
                            "Try: penstock trace --help", ["trace", "inspec", "jobs.csv"])
        self.assert_refused("penstock trace: a command is missing; there are: inspect convert generate\nTry: penstock trace --help", ["trace"])

    def test_an_unknown_flag(self):
        self.assert_refused("penstock validate: there is no option '--st'; there are: --help --set; did you mean '--set'?\n"
                            "Try: penstock validate --help", ["validate", "s.toml", "--st", "seed=1"])

    def test_too_many_or_too_few_words(self):
        self.assert_refused("penstock simulate: 'more' is one word too many\nTry: penstock simulate --help", [*SIMULATE, "more"])
        self.assert_refused("penstock validate: SCENARIO is required\nTry: penstock validate --help", ["validate"])

    def test_values_that_cannot_be(self):
        for words, message in {
            ("simulate", "s.toml", "--jobs", "0"): "--jobs: Value 0 not in range 1 to 1024",
            ("simulate", "s.toml", "--seed", "-1"): "--seed: Value -1 not in range 0 to 9223372036854775807",
            ("trace", "inspect", "jobs.csv", "--gpus", "0"): "--gpus: Value 0 not in range 1 to 4294967295",
            ("trace", "inspect", "jobs.csv", "--gpus", "-4"): "--gpus: Value -4 not in range 1 to 4294967295",
            ("trace", "convert", "jobs.csv", "--to", "xls"): "--to: xls not in {csv,swf}",
            ("trace", "generate", "--jobs", "-1"): "--jobs: Value -1 not in range 1 to 4294967295",
        }.items():
            command = " ".join(["penstock", *(word for word in words[:2] if word.isalpha())])
            self.assert_refused(f"{command}: {message}\nTry: {command} --help", words)

    def test_values_without_their_unit_or_outside_their_range(self):
        self.assert_refused("--timeline: '10' is not a length of time such as '10 min'", [*SIMULATE, "--timeline", "10"])
        self.assert_refused("--gap: '5' is not a length of time such as '10 min'", ["trace", "generate", "--gap", "5"])
        self.assert_refused("--sizes: '1' is not GPUS:WEIGHT such as 8:0.1", ["trace", "generate", "--sizes", "1"])
        self.assert_refused("--start: lies before 1970\n--request-factor: must be between 1 and 1000000\n--sigma: must be between 0 and 10",
                            ["trace", "generate", "--start", "1969-01-01", "--request-factor", "0", "--sigma", "nan"])
        self.assert_refused("--set site.pue: has no '='; write key.path=value", [*SIMULATE, "--set", "site.pue"])


if __name__ == "__main__":
    main()
