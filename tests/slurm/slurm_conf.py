"""What the slurm.conf of a cluster of ours says, and the ports it may use."""
import random
import socket

CONF = """\
ClusterName={name}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmUser={user}
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd-%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
MpiDefault=none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0,sched_min_interval=0
PriorityType=priority/basic
GresTypes=gpu
JobRequeue=1
ReturnToService=1
MaxJobCount=30000
MaxArraySize=10001
MinJobAge=300
KillWait=2
MessageTimeout=5
SlurmctldTimeout=10
SlurmdTimeout=300
DebugFlags=NO_CONF_HASH
"""
POWER = """\
SuspendProgram={folder}/suspend
ResumeProgram={folder}/resume
SuspendTime=1000000
SuspendTimeout=1
ResumeTimeout=20
SuspendRate=0
ResumeRate=0
"""


def free_ports(count):
    """A row of ports that nobody uses, below those that the system hands out."""
    while True:
        first = random.SystemRandom().randrange(15000, 32000 - count)
        held = []
        try:
            for port in range(first, first + count):
                held.append(socket.create_server(("0.0.0.0", port)))
            return list(range(first, first + count))
        except OSError:
            continue
        finally:
            for one in held:
                one.close()
