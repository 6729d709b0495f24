import CommandLineKit
import Interfaces
import Testing

@testable import Commands

@Suite struct StatusTextTests {
    private func lines(_ status: DaemonStatus) -> [String] {
        StatusText(status: status, now: 1_000, terminal: Terminal(isTerminal: false)).lines
    }

    private var healthy: DaemonStatus {
        var status = DaemonStatus()
        status.version = WaymarkVersion.text
        status.protocol = Int64(WaymarkVersion.protocolNumber)
        status.processID = 123
        status.startedAt = 100
        status.health = "ok"
        status.summary = "Position to 3.1 m."
        status.receiver.gpsd = "localhost:2947"
        status.receiver.state = .watching
        status.receiver.version = "3.22"
        status.receiver.devices = [
            DaemonStatus.Device(path: "/dev/ttyACM0", driver: "u-blox", isActive: true, isStale: false)
        ]
        status.receiver.reports = ["SKY": 200, "TPV": 1_000]
        status.fix = DaemonStatus.Fix(
            age: 0.4, horizontalAccuracy: 3.1, hasAltitude: true, isSimulated: false, quality: "dgps",
            receiver: "/dev/ttyACM0")
        status.satellitesUsed = 9
        status.satellitesVisible = 14
        status.accepted = 980
        status.rejected = ["noFix": 5, "duplicateEpoch": 15, "noTime": 0, "newReason": 1]
        status.authorization.apps = 12
        status.authorization.inUse = 1
        status.authorization.agents = 1
        status.journal.state = .running
        status.journal.events = 1_204
        status.journal.size = 40_960
        status.journal.path = "/var/lib/waymark/journal.db"
        status.clients.connections = 2
        status.clients.streams = 1
        return status
    }

    @Test(arguments: [32, 40, 60]) func `on a narrow terminal lines are wrapped, and nothing is cut off`(_ width: Int) {
        var status = healthy
        status.summary = "There is no position: the receiver has no fix yet, since a minute."
        let lines = StatusText(status: status, now: 1_000, terminal: Terminal(isTerminal: true, width: width)).lines
        #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        let words = lines.joined(separator: " ").split(separator: " ")
        for word in ["minute.", "differentially", "corrected", "newReason"] {
            #expect(words.contains { $0 == word }, "\(word) is whole")
        }
        #expect(!lines.contains { $0.contains("…") })
    }

    @Test func `a healthy daemon is described in a sentence, then part by part`() {
        #expect(
            lines(healthy) == [
                "● Position to 3.1 m.",
                "Receiver    watching gpsd 3.22 at localhost:2947",
                "            /dev/ttyACM0 (u-blox), active",
                "Fix         accurate to 3.1 m, 0.4 s old, with altitude, differentially corrected",
                "Satellites  9 used of 14 seen",
                "Reports     1,200 from gpsd, 980 fixes accepted",
                "            15 rejected: the same time twice",
                "            5 rejected: the receiver had no fix",
                "            1 rejected: newReason",
                "Services    on, 12 apps, 1 in use, 1 agent",
                "Journal     running, 1,204 events, 41.0 kB in /var/lib/waymark/journal.db",
                "Clients     2 connected, 1 stream",
                "Daemon      version \(WaymarkVersion.described), process 123, running for 15 min",
            ])
    }

    @Test func `a daemon of another protocol is reported, with the side to update`() {
        var status = healthy
        status.protocol += 1
        status.version = "7.0"
        let newer = lines(status).suffix(2)
        #expect(
            newer.first
                == "Daemon      version 7.0 (protocol \(status.protocol)), process 123, running for 15 min")
        #expect(
            newer.last == "            it is newer than this program, \(WaymarkVersion.described). Update the program.")
        status.protocol = Int64(WaymarkVersion.protocolNumber) - 1
        #expect(lines(status).last?.hasPrefix("            it is older than this program, ") == true)
        #expect(lines(status).last?.hasSuffix("`systemctl restart waymark`.") == true)
    }

    @Test func `a problem is reported with its reason`() {
        var status = healthy
        status.health = "receiverLost"
        status.summary = "gpsd cannot be reached."
        status.receiver.state = .waiting
        status.receiver.reason = "connection refused"
        status.receiver.devices = []
        status.fix = nil
        status.journal.state = .full
        status.journal.reason = "No space left on device"
        status.journal.dropped = 3
        let text = lines(status).joined(separator: "\n")
        #expect(text.hasPrefix("✗ gpsd cannot be reached."))
        #expect(text.contains("no connection to gpsd at localhost:2947: connection refused"))
        #expect(text.contains("Fix         none"))
        #expect(text.contains(": No space left on device\n            3 events lost"))
    }

    @Test func `tasks of an operator are listed`() {
        var status = healthy
        status.authorization.servicesEnabled = false
        status.authorization.requests = 2
        status.authorization.problems = 1
        status.authorization.loss = "the database was damaged"
        status.authorization.problem = "changes of the restrictions are not noticed: no more watches"
        let text = lines(status).joined(separator: "\n")
        #expect(
            text.contains(
                """
                Services    off: no app gets positions, 12 apps, 1 in use, 1 agent
                            2 prompts unanswered: see `waymark requests`
                            1 mistake in manifests or restrictions: see `waymark apps`
                            changes of the restrictions are not noticed: no more watches
                            some decisions could not be read: the database was damaged
                """))
    }

    @Test func `the network is described where it is watched`() {
        var status = healthy
        var network = DaemonStatus.Network()
        network.status = .satisfied
        network.interfaces = ["eth0", "wlan0"]
        network.supportsIPv4 = true
        network.supportsDNS = true
        network.generation = 3
        network.monitors = 2
        network.targets = 1
        network.evaluations = 12
        network.messages = 1_204
        network.overruns = 1
        network.lookups = ["found": 10, "notAnswering": 1, "notFound": 2, "refused": 0]
        status.network = network
        #expect(
            lines(status).joined(separator: "\n").contains(
                """
                Network     satisfied: through eth0, wlan0; IPv4; names
                            2 streams, 1 host watched
                            3 changes, 1,204 messages of the kernel, queried 12 times, 1 overrun
                            13 names resolved, 1 without a reply, 2 not found
                Services
                """))
        network = DaemonStatus.Network()
        network.status = .unsatisfied
        network.reason = "noCarrier"
        status.network = network
        #expect(lines(status).contains("Network     unsatisfied: the route's interface has no carrier"))
        network.status = nil
        network.problem = "the routing sockets could not be opened"
        status.network = network
        let text = lines(status).joined(separator: "\n")
        #expect(text.contains("Network     not known\n"))
        #expect(text.contains("            the routing sockets could not be opened\n"))
    }

    @Test func `texts from elsewhere cannot contain control characters`() {
        var status = healthy
        status.summary = "\u{1B}[2J"
        status.receiver.devices[0].path = "/dev/\u{1B}c"
        #expect(!lines(status).joined().contains("\u{1B}"))
    }

    @Test func `regions are shown where there are monitors, or why they cannot be read`() {
        var status = healthy
        #expect(!lines(status).contains { $0.hasPrefix("Regions") })
        status.regions.monitors = 3
        status.regions.monitoring = 2
        status.regions.regions = 1_200
        status.regions.pending = 1
        #expect(
            lines(status).contains {
                $0.contains("1,200 regions in 3 monitors, 2 monitored, 1 event pending: see `waymark regions list`")
            }, "\(lines(status))")
        status.regions.problem = "Regions cannot be read."
        #expect(lines(status).contains { $0.contains("Regions cannot be read.") })
    }

    @Test func `uploads are counted where there are some`() {
        var status = healthy
        #expect(!lines(status).contains { $0.hasPrefix("Uploads") })
        status.uploads.count = 4
        status.uploads.running = 3
        #expect(lines(status).contains("Uploads     4, 3 running: see `waymark uploads`"))
        status.uploads.paused = 1
        status.uploads.failing = 2
        status.uploads.abandoned = 1_200
        #expect(
            lines(status).contains(
                "Uploads     4, 3 running, 1 paused, 2 failing, 1,200 positions without a running uploader: see"
                    + " `waymark uploads`"))
    }
}
