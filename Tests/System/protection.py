"""Recorded positions on a machine that is locked: over a reboot, and unlocked from elsewhere."""

import json

from boot import last, recording
from check import check
from expectation import eventually, expect
from recording import look_at_recording

FOLDER = "/var/lib/waymark"
CREDENTIAL = "/etc/credstore.encrypted/waymark.machine-secret"
PASSPHRASE = "a heron on the third pier\n"
# A login over the network, as an administrator has it; the machine is its own client.
SSH = ("ssh", "-o", "StrictHostKeyChecking=accept-new", "-o", "BatchMode=yes", "root@127.0.0.1")


def status(scene):
    return json.loads(scene.machine.ask("waymark", "protection", "status", "--json"))


def verify(machine):
    result = machine.run("waymark", "log", "--verify")
    return result.stdout + result.stderr


def prepare_ssh(machine):
    machine.run("bash", "-c", """
        install -d -m 700 /root/.ssh
        [ -e /root/.ssh/id_ed25519 ] || ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
        cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys""")
    machine.run("systemctl", "enable", "--now", "ssh.service")


@check("a machine records while it is locked, over a reboot, and everything is there when it is unlocked over ssh")
def records_while_locked(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    prepare_ssh(machine)
    witness, recorder = scene.witness(), scene.companion("logbook", "recorder.py", "trip")
    eventually("positions are recorded", lambda: len(recorder.account()["read"]) > 60)
    machine.run("waymark", "protection", "set-passphrase", "--stdin", given=PASSPHRASE)
    before = status(scene)
    expect(before["state"] == "unlocked" and before["machineSecret"] == "credential",
           "unlocked, with the credential of the package", before)
    expect(machine.exists(CREDENTIAL) and not machine.exists(f"{FOLDER}/machine.secret"),
           "the machine's secret in no file of the state directory", machine.ask("ls", FOLDER))
    seen = last(recorder)
    eventually("it is read while it is unlocked", lambda: last(recorder) > seen + 20)
    read, said = recorder.finish()["read"], witness.finish()["times"]

    machine.reboot()
    scene.wait_until_ready()
    locked = status(scene)
    expect(locked["state"] == "neverUnlocked", "locked after a reboot", locked)
    witness, recorder = scene.witness(), scene.companion("logbook", "recorder.py", "trip")
    began = recording(scene)["last"]
    eventually("positions are recorded while locked", lambda: recording(scene)["last"] > began + 60)
    account = recorder.account()
    expect(not account["read"] and not account["errors"], "a reader that waits", account)
    verified = verify(machine)
    expect("could not be checked" in verified, "a verification that says what it could not check", verified)

    wrong = machine.run(*SSH, "waymark", "unlock", "--stdin", given="a heron\n", check=False)
    expect(wrong.returncode != 0 and status(scene)["state"] == "neverUnlocked", "a wrong passphrase unlocks nothing", wrong)
    machine.run(*SSH, "waymark", "unlock", "--stdin", given=PASSPHRASE)
    eventually("the reader continues", lambda: last(recorder) > began + 60, or_show=lambda: str(recorder.account())[:400])
    later = recorder.finish()
    look_at_recording(later, witness.finish()["times"])
    reported = dict(read)
    different = [(number, time) for number, time in later["read"] if reported.get(number, time) != time]
    expect(not different, "the same positions under the same numbers", different)
    expect(later["read"][0][0] <= read[-1][0] + 1, "nothing missing between the two readers",
           (read[-1], later["read"][0]))
    expect(not set(time for _, time in read) - set(said), "only reports of gpsd", len(said))
    whole = verify(machine)
    expect("could not be checked" not in whole, "a verification of everything", whole)
    return f"{later['read'][-1][0] - began} positions recorded while it was locked; {len(later['read'])} read afterwards"


@check("locked by hand, the data is closed after ten seconds, and after a crash of the daemon", is_long=True)
def stays_locked(scene):
    machine = scene.machine
    scene.wait_until_ready()
    machine.run("waymark", "protection", "set-passphrase", "--stdin", given=PASSPHRASE, check=False)
    machine.run("waymark", "unlock", "--stdin", given=PASSPHRASE)
    machine.run("waymark", "lock")
    eventually("it is locked", lambda: status(scene)["state"] == "locked", 20, or_show=lambda: str(status(scene)))
    process = scene.process()
    scene.kill("SIGKILL")
    scene.wait_until_ready(other_than=process)
    expect(status(scene)["state"] == "neverUnlocked", "locked after a crash", status(scene))
    machine.run("waymark", "unlock", "--stdin", given=PASSPHRASE)
    events = machine.ask("waymark", "log", "--json")
    kinds = [json.loads(line)["kind"] for line in events.splitlines()]
    found = [kind for kind in kinds if kind in ("protectionChanged", "dataLocked", "dataUnlocked", "dataUnlockRefused")]
    expect({"protectionChanged", "dataLocked", "dataUnlocked"} <= set(found), "an event of each", found)
    expect("heron" not in events, "no secret in the journal", "a secret is in it")
    return ", ".join(f"{found.count(kind)} {kind}" for kind in sorted(set(found)))


# The commands of Documentation/protection.md.
EXCHANGE = """
    set -e
    cd /etc/credstore.encrypted && umask 077
    systemd-creds decrypt waymark.machine-secret - |
        systemd-creds encrypt --name=waymark.former-machine-secret - waymark.former-machine-secret
    head -c 32 /dev/urandom | systemd-creds encrypt --name=waymark.machine-secret - waymark.machine-secret.new
    sync && mv waymark.machine-secret.new waymark.machine-secret && sync"""


@check("the machine's secret, an encrypted credential, is exchanged, also where the service is killed meanwhile")
def exchanges_secret(scene):
    machine = scene.machine
    scene.wait_until_ready()
    scene.decide()
    recorder = scene.companion("logbook", "recorder.py", "trip")
    eventually("positions are recorded", lambda: len(recorder.account()["read"]) > 60)
    machine.run("waymark", "protection", "set-passphrase", "--stdin", given=PASSPHRASE, check=False)
    machine.run("waymark", "unlock", "--stdin", given=PASSPHRASE)
    recorder.finish()
    before = recording(scene)["last"]
    machine.run("bash", "-c", EXCHANGE)
    process = scene.process()
    machine.run("systemctl", "restart", "waymark.service")
    scene.kill("SIGKILL")
    scene.wait_until_ready(other_than=process)
    eventually("the exchange goes on", lambda: status(scene)["state"] == "neverUnlocked", or_show=lambda: str(status(scene)))
    done = machine.ask("waymark", "protection", "renew-machine-secret")
    expect("not needed any more" in done, "everything is exchanged", done)
    machine.run("rm", "/etc/credstore.encrypted/waymark.former-machine-secret")
    machine.run("systemctl", "restart", "waymark.service")
    scene.wait_until_ready()
    machine.run("waymark", "unlock", "--stdin", given=PASSPHRASE)
    after = status(scene)
    expect(after["state"] == "unlocked" and "formerSecretPath" not in after and after["machineSecret"] == "credential",
           "unlocked with the new secret alone", after)
    whole = verify(machine)
    expect("could not be checked" not in whole and recording(scene)["last"] >= before, "everything is readable", whole)
    return f"{before} positions readable with the new secret"
