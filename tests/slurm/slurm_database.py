"""The accounting of a cluster of ours: a MariaDB and a slurmdbd of its own, so that sacct and operators are there."""
import os
import shutil
import subprocess

from slurm_conf import free_ports

NEEDED = ("mariadbd", "mariadb-install-db", "mariadb", "slurmdbd", "sacctmgr", "sacct")
CONF = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser={user}
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser={user}
StorageLoc=slurm_acct_db
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/run/slurmdbd.pid
"""


def why_not():
    missing = [program for program in NEEDED if shutil.which(program) is None]
    return f"skipped: no accounting database, since {' '.join(missing)} is not installed" if missing else None


class Database:
    """Belongs to a cluster, whose folder it uses and whose guard ends it."""

    def __init__(self, cluster, host):
        self.cluster, self.host, self.port = cluster, host, free_ports(1)[0]

    @property
    def socket(self):
        return self.cluster.folder / "database/socket"

    def lines(self):
        """What slurm.conf says of it."""
        return (f"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\nAccountingStoragePort={self.port}\n"
                f"AccountingStoragePass={self.cluster.folder}/munge/socket\nAccountingStoreFlags=job_comment\nAccountingStorageTRES=gres/gpu")

    def start(self, daemon, wait_for):
        """`daemon` starts a program that the cluster ends."""
        data, user = self.cluster.folder / "database", self.cluster.user
        if not data.exists():
            data.mkdir()
            shutil.chown(data, user)
            subprocess.run(["mariadb-install-db", "--no-defaults", f"--user={user}", f"--datadir={data}/data", f"--auth-root-authentication-method=socket",
                            f"--auth-root-socket-user={user}"], check=True, capture_output=True, timeout=120)
        daemon("mariadbd", "--no-defaults", f"--user={user}", f"--datadir={data}/data", f"--socket={self.socket}", "--skip-networking", f"--pid-file={data}/pid")
        wait_for(self._answers, "the database answers")
        conf = self.cluster.folder / "slurmdbd.conf"
        conf.write_text(CONF.format(folder=self.cluster.folder, host=self.host, port=self.port, user=user))
        conf.chmod(0o600)
        shutil.chown(conf, user)
        daemon("slurmdbd", "-D", env={"MYSQL_UNIX_PORT": str(self.socket)})
        wait_for(lambda: "Cluster" in self.cluster.run("sacctmgr", "list", "cluster", check=False), "slurmdbd answers")
        self.cluster.run("sacctmgr", "-i", "add", "cluster", self.cluster.name, check=False)

    def _answers(self):
        return subprocess.run(["mariadb", "--no-defaults", f"--socket={self.socket}", "-e", "SELECT 1"], capture_output=True, check=False,
                              user=self.cluster.user, env=dict(os.environ)).returncode == 0
