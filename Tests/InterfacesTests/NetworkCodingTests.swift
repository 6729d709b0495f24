import Interfaces
import JSONText
import NetworkPaths
import Testing
import Varlink

@Suite struct NetworkCodingTests {
    private static let modem = NetworkInterface(
        name: "wwan0", index: 7, kind: .cellular, isExpensive: true, isConstrained: true, isUltraConstrained: true)

    @Test func `a path reads back as it was written`() throws {
        let wired = NetworkInterface(name: "eth0", index: 2, kind: .wired)
        let addresses = ["192.0.2.1", "fe80::1"].compactMap { IPAddress($0) }
        let path = NetworkPath(
            status: .unsatisfied, reason: .gatewayNotAnswering, interfaces: [Self.modem, wired], supportsIPv4: true,
            supportsIPv6: true, supportsDNS: true, gateways: addresses, generation: 1 << 40)
        let json = try written { path.write(to: &$0) }
        #expect(NetworkPath(json) == path)
        #expect(json["isExpensive"] == true)
        #expect(json.keys == (try WaymarkInterface.reachability.fields(of: "Path")))
        #expect(json["interfaces"]?[0]?.keys == (try WaymarkInterface.reachability.fields(of: "Interface")))
        let bare = NetworkPath(status: .satisfied)
        #expect(NetworkPath(try written { bare.write(to: &$0) }) == bare)
    }

    @Test func `a target reads back as it was written`() throws {
        var target = TargetReachability(
            host: "tracker.example.org", port: 443, status: .requiresConnection, reason: .addressTentative)
        target.isDirect = true
        target.isLocal = true
        target.isSuspect = true
        target.finding = .captive
        target.address = IPAddress("2001:db8::1")
        target.source = IPAddress("2001:db8::2")
        target.gateway = IPAddress("fe80::1")
        target.interface = Self.modem
        target.table = .max
        target.generation = 3
        let json = try written { target.write(to: &$0) }
        #expect(TargetReachability(json) == target)
        #expect(json.keys == (try WaymarkInterface.reachability.fields(of: "Target")))
        let bare = TargetReachability(host: "::1", status: .unknown)
        #expect(TargetReachability(try written { bare.write(to: &$0) }) == bare)
    }

    @Test func `the reply about a target reads back with its steps`() throws {
        let steps = ReachabilityStep.Subject.allCases.enumerated().map { number, subject in
            ReachabilityStep(
                subject, ReachabilityStep.Outcome.allCases[number % 3], number.isMultiple(of: 2) ? "\(number)" : nil)
        }
        let answer = TargetAnswer(target: TargetReachability(host: "a", status: .reachable), steps: steps)
        let json = try written { writer in writer.object { answer.writeMembers(to: &$0) } }
        #expect(try TargetAnswer(varlink: json) == answer)
        #expect(json["steps"]?[0]?.keys == (try WaymarkInterface.reachability.fields(of: "Step")))
    }

    @Test func `unknown words do not make a reply unreadable`() throws {
        let path = try JSON.parse(
            Array(
                """
                {"status": "unsatisfied", "reason": "eclipse", "gateways": ["somewhere", "192.0.2.1", 7],
                "interfaces": [{"name": "beam0", "index": 9, "kind": "laser"}, {"kind": "wired"}], "colour": "red"}
                """.utf8))
        let read = try #require(NetworkPath(path))
        #expect(read.status == .unsatisfied)
        #expect(read.reason == nil)
        #expect(read.gateways.map(\.description) == ["192.0.2.1"])
        #expect(read.interfaces == [NetworkInterface(name: "beam0", index: 9, kind: .other)])
        let target = try #require(
            TargetReachability([
                "host": "a", "status": "sometimes", "reason": "eclipse", "finding": "oracle", "interface": nil,
                "address": "here", "port": 65536, "table": -1,
            ]))
        #expect(target == TargetReachability(host: "a", status: .unknown))
        #expect(ReachabilityStep(["subject": "moon", "outcome": "good"]) == nil)
        #expect(ReachabilityStep(["subject": "route", "outcome": "mixed"]) == ReachabilityStep(.route, .unknown))
    }

    @Test(arguments: [[:], ["status": "perhaps"], ["status": 1], nil] as [JSON])
    func `an object without a valid status is no path`(json: JSON) {
        #expect(NetworkPath(json) == nil)
        #expect(TargetReachability(json) == nil)
        #expect(throws: InvalidParameter(path: "target")) {
            try TargetAnswer(varlink: ["target": json, "steps": []])
        }
    }

    @Test func `requests read back as they were written`() throws {
        for (host, port) in [("tracker.example.org", 65535), ("::1", nil)] as [(String, UInt16?)] {
            let request = ReachabilityInterface.GetTarget(host: host, port: port)
            #expect(try ReachabilityInterface.GetTarget(varlink: request.parameters) == request)
            for outcome in ReportedOutcome.allCases {
                let report = ReachabilityInterface.ReportTarget(host: host, port: port, outcome: outcome)
                #expect(try ReachabilityInterface.ReportTarget(varlink: report.parameters) == report)
            }
        }
    }

    @Test(arguments: [
        (#"{}"#, "host"), (#"{"host": 1}"#, "host"), (#"{"host": "a", "port": 0}"#, "port"),
        (#"{"host": "a", "port": 65536}"#, "port"), (#"{"host": "a", "port": "https"}"#, "port"),
        (#"{"host": "a"}"#, "outcome"), (#"{"host": "a", "outcome": "maybe"}"#, "outcome"),
    ]) func `a wrong parameter about a target is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter(path: name)) { try ReachabilityInterface.ReportTarget(varlink: json) }
    }

    @Test func `the state of the network reads back as it was written`() throws {
        var network = DaemonStatus.Network()
        network.status = .requiresConnection
        network.reason = "a word of tomorrow"
        network.interfaces = ["eth0", "wlan0"]
        network.supportsIPv4 = true
        network.supportsIPv6 = true
        network.supportsDNS = true
        network.generation = 1 << 40
        network.monitors = 2
        network.targets = 3
        network.evaluations = 4
        network.messages = 5
        network.overruns = 6
        network.droppedReports = 7
        network.lookups = ["found": 8, "refused": 1]
        network.problem = "the sockets could not be opened"
        var status = DaemonStatus()
        status.network = network
        #expect(try DaemonStatus(varlink: try written { status.write(to: &$0) }).network == network)
        status.network = nil
        #expect(try DaemonStatus(varlink: try written { status.write(to: &$0) }).network == nil)
    }
}
