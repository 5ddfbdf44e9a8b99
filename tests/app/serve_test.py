#!/usr/bin/env python3
"""penstock serve --check: every problem at once, and --release: in spite of any problem, against a bridge of this file that knows no Slurm."""
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, files_below, main

BRIDGE = f"""#!{sys.executable}
import json, sys
GPUS = [{{"type": "weird" if "weird" in sys.argv[-1] else "a100", "total": 4}}]
ANSWERS = {{"hello": {{"cluster": "lab"}}, "nodes": {{"nodes": [{{"name": "n1", "state": "idle", "gpus": GPUS, "partitions": ["main"]}}]}},
           "partitions": {{"partitions": [{{"name": "main"}}, {{"name": "spare"}}]}},
           "jobs": {{"jobs": [{{"job": 7, "state": "pending", "held": True, "admin_comment": "penstock: held"}}]}}}}
if "--conf" in sys.argv and "missing" in sys.argv[-1]:
    sys.exit("penstock-slurm: missing.conf: cannot be read")
for line in sys.stdin:
    asked = json.loads(line)
    fine = {{"ok": True, **ANSWERS.get(asked["do"], {{}})}}
    away = {{"ok": False, "error": {{"code": "unreachable", "text": "Unable to contact slurm controller", "slurm": 1}}}}
    print(json.dumps({{"id": asked["id"], **(away if "away" in sys.argv[-1] else fine)}}), flush=True)
"""
CONFIG = """\
[serve]
listen = "127.0.0.1:0"
token_file = "token"
journal = "journal.db"
[[site]]
name = "east"
price = { fixed = "0.2 EUR/kWh" }
[site.slurm]
bridge = "./bridge"
[policy]
name = "fifo"
"""


class Checks(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.folder / "bridge").write_text(BRIDGE)
        (self.folder / "bridge").chmod(0o755)
        (self.folder / "token").write_text("0123456789abcdef\n")
        (self.folder / "token").chmod(0o600)

    def serve(self, option, changes):
        """What the program says of the configuration with these lines changed, such as token_file='"x"', or added."""
        text = CONFIG
        for key, value in changes.items():
            lines = [line for line in text.splitlines() if line.startswith(f"{key} =")]
            text = text.replace(lines[0], f"{key} = {value}") if lines else text.replace("[[site]]", f"{value}\n[[site]]") if key == "more" else \
                text.replace("[policy]", f"{key} = {value}\n[policy]")
        (self.folder / "serve.toml").write_text(text)
        before = files_below(self.folder)
        done = subprocess.run([PROGRAM, "serve", "serve.toml", option], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(files_below(self.folder), before, f"{option} leaves nothing behind")
        return done

    def check(self, **changes):
        return self.serve("--check", changes)

    def release(self, **changes):
        return self.serve("--release", changes)

    def refused(self, *messages, **changes):
        done = self.check(**changes)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.splitlines(), ["serve.toml: " + message for message in messages])

    def test_a_good_configuration_is_fine_and_makes_no_journal(self):
        done = self.check()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "serve.toml: fine: 4 GPUs at 1 site, policy fifo, mode shadow\n", ""))

    def test_a_token_that_the_server_would_refuse_was_called_fine(self):
        self.refused("serve.token_file: none: No such file or directory", token_file='"none"')
        (self.folder / "token").write_text("")
        self.refused("serve.token_file: token: a token is 16 to 512 letters, digits and signs without blanks; possible: openssl rand -hex 32")
        (self.folder / "token").chmod(0o644)
        self.refused("serve.token_file: token: others can read or change this token; possible: chmod 600 token")

    def test_an_address_that_cannot_be_had_was_called_fine(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.refused(f"serve.listen: cannot listen on 127.0.0.1 port {port}: Address already in use; "
                         'possible: another address or port, such as "127.0.0.1:7323"', listen=f'"127.0.0.1:{port}"')

    def test_a_former_policy_that_does_not_exist_was_called_fine(self):
        self.assertIn("former: no policy 'fifoo'; there are: fifo ", self.check(more='[former]\nname = "fifoo"').stderr)
        self.assertIn("former: policy 'fifo' has no option 'backfil'; there are: backfill ", self.check(more='[former]\nname = "fifo"\nbackfil = "easy"').stderr)

    def test_folders_that_do_not_exist_were_called_fine(self):
        self.refused("serve.journal: there is no folder here; possible: mkdir -p here, or another path",
                     "serve.heartbeat: there is no folder there; possible: mkdir -p there, or another path",
                     "fetch.file: there is no folder nowhere; possible: mkdir -p nowhere, or another path",
                     journal='"here/journal.db"', more='heartbeat = "there/alive"\n[[fetch]]\nurl = "http://127.0.0.1/x"\nfile = "nowhere/price.csv"')

    def test_a_journal_that_is_none_was_called_fine(self):
        (self.folder / "journal.db").write_text("this is a diary of another kind\n" * 100)
        self.assertIn("serve.toml: serve.journal: journal.db: ", self.check().stderr)

    def test_a_cluster_that_does_not_answer_was_a_warning(self):
        self.refused("site 'east': its cluster does not answer: the bridge ended with code 1: penstock-slurm: missing.conf: cannot be read",
                     conf='"missing.conf"')
        self.refused("site 'east': its cluster does not answer: Unable to contact slurm controller", conf='"away.conf"')
        self.refused("site 'east': its cluster does not answer: ./none cannot be started: No such file or directory; possible: make install, "
                     "which builds penstock-slurm where libslurm-dev is, or its path as site.slurm.bridge", bridge='"./none"')

    def test_partitions_that_do_not_exist_were_called_fine(self):
        self.refused("site 'east': slurm.partitions: there is no partition 'mian'; there are: main spare; did you mean 'main'?",
                     partitions='["main", "mian"]')
        self.refused("fence.partitions: there is no partition 'gpu'; there are: main spare",
                     more='mode = "fenced"\n[fence]\npartitions = ["gpu", "spare", "main"]')

    def test_a_fence_that_was_left_in_the_file_is_a_note(self):
        done = self.check(more='mode = "live"\n[fence]\nusers = ["ada"]')
        self.assertEqual((done.returncode, done.stdout), (0, "serve.toml: fine: 4 GPUs at 1 site, policy fifo, mode live\n"))
        self.assertEqual(done.stderr, 'note: serve.toml:6: fence: does not hold, since serve.mode is "live"; possible: mode = "fenced"\n')

    def test_a_problem_in_the_configuration_kept_held_jobs_from_being_let_go(self):
        done = self.release(more='mode = "wild"\n[fence]\nhours = ["x"]')
        self.assertEqual((done.returncode, done.stdout), (0, "east: 1 jobs are left to Slurm\n"), done.stderr)
        self.assertEqual([line.split(":")[:3] for line in done.stderr.splitlines()], [["note", " serve.toml", "5"], ["note", " serve.toml", "7"]])

    def test_nothing_can_be_let_go_where_no_cluster_is_known(self):
        for changes in ({"more": "[serve"}, {"bridge": "3"}):
            done = self.release(**changes)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("serve.toml:", done.stderr)

    def test_names_that_slurm_lacks_are_notes(self):
        done = self.check(gpu_types='{ tasla = "v100" }', machines='{ h900 = { base_power = "1 W" } }')
        self.assertEqual((done.returncode, done.stderr.splitlines()),
                         (0, ["note: site 'east': slurm.gpu_types: Slurm calls no GPUs 'tasla'; there are: a100",
                              "note: site 'east': slurm.machines: no node has GPUs of type 'h900'; there are: a100"]))

    def test_a_type_that_the_catalogue_lacks_was_blamed_on_a_key_that_is_not_in_the_file(self):
        for changes, said in (({"gpu_types": '{ a100 = "a1000" }'}, "serve.toml:10: site.slurm.gpu_types.a100: there is no GPU type 'a1000'; there are: h100 "),
                              ({"conf": '"weird.conf"'}, "serve.toml: site 'east': Slurm has GPUs of type 'weird': there is no GPU type 'weird'; there are: ")):
            done = self.check(**changes)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith(said), done.stderr)

    def test_all_is_told_at_once(self):
        done = self.check(token_file='"none"', bridge='"./none"', name='"fifoo"', more='[former]\nname = "best"')
        for word in ("token_file", "former: no policy 'best'", "./none cannot be started"):
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    main()
