import CLinux
import Glibc
import Interfaces
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Uploads on a machine of a test's own that loses its network, its name server, its server, or is behind a portal:
/// they pause and say why, resume by themselves, and everything arrives once.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct UploadNetworkTests {
    /// A server on the other side of the router, on a socket made there.
    private final class FarServer {
        static let port: UInt16 = 8_765
        private let network: TestNetwork
        let process: UploadServerProcess
        private var socket: OwnedDescriptor

        init(_ network: TestNetwork) throws {
            self.network = network
            let socket = try Self.socket(in: network)
            process = try UploadServerProcess(socket: socket.number)
            self.socket = consume socket
        }

        /// Kills it. Its socket does not listen afterwards, even if a process that another test starts at the same time has a
        /// copy of it.
        func kill() throws {
            try process.kill()
            shutdown(socket.number, Int32(SHUT_RDWR))
        }

        func start(_ more: [String] = []) throws {
            socket = try Self.socket(in: network)
            try process.restart(more: more, socket: socket.number)
        }

        /// A server at all addresses of both versions.
        private static func socket(in network: TestNetwork) throws -> OwnedDescriptor {
            try network.far.inside {
                let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
                let socket = try OwnedDescriptor("make a socket") { Glibc.socket(AF_INET6, type, 0) }
                for (level, name, value) in [(SOL_SOCKET, SO_REUSEADDR, 1), (Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0)] {
                    var value = Int32(value)
                    try retrying("share a port") {
                        setsockopt(socket.number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
                    }
                }
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                try retrying("bind") {
                    withUnsafePointer(to: &address) {
                        // A socket address of its kind, and its length.
                        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                        }
                    }
                }
                try retrying("listen") { listen(socket.number, 64) }
                return socket
            }
        }
    }

    /// A failure of the network, and the reasons that may be reported for it.
    private struct Loss {
        let name: String
        let reasons: [UnreachableReason]
        let situations: [NetworkSituation]
        let affected: [IPAddress.Family]

        func prepare(_ network: TestNetwork) throws { try each { try $0.prepare(network, $1) } }
        func operate(_ network: TestNetwork) throws { try each { try $0.operate(network, $1) } }
        func undo(_ network: TestNetwork) throws { try each { try $0.undo(network, $1) } }

        private func each(_ body: (NetworkSituation, [IPAddress.Family]) throws -> Void) throws {
            for situation in situations { try body(situation, affected.filter(situation.families.contains)) }
        }
    }

    /// All losses of the machine's network, each in all versions of its protocol at once.
    private static func losses(of families: [IPAddress.Family]) -> [Loss] {
        var losses: [Loss] = []
        for situation in NetworkSituation.losses where families.allSatisfy(situation.families.contains) {
            guard case .lost(_, let reason) = situation.outcome else { continue }
            losses.append(
                Loss(name: situation.name, reasons: [reason], situations: [situation], affected: families))
        }
        guard families.count > 1 else { return losses }
        // The reason differs between the two IP versions: one of the two is reported.
        let addresses = NetworkSituation.losses.filter { $0.name == "the address is deleted" }
        losses.append(
            Loss(
                name: "all addresses are deleted", reasons: [.noRoute, .noAddress], situations: addresses,
                affected: families))
        return losses
    }

    /// A network with a server, and all programs that deliver positions to it.
    private final class Scene {
        let network: TestNetwork
        let server: FarServer
        let chain: UploadChain
        let families: [IPAddress.Family]

        /// The uploader connects to the server by its address, or by a name in a file, with two addresses.
        init(_ family: TestNetwork.Family) throws {
            network = try TestNetwork(family)
            families = network.families
            server = try FarServer(network)
            let name = "listed.example"
            try network.machine.replace(
                "hosts", "127.0.0.1 localhost\n" + network.world.map { "\($0) \(name)\n" }.joined())
            try network.machine.replace("nsswitch.conf", "hosts: files dns\n")
            let host =
                switch family {
                case .ipv4: TestNetwork.worldIPv4
                case .ipv6: "[\(TestNetwork.worldIPv6)]"
                case .both: name
                }
            chain = try UploadChain(
                format: "geojson", url: Self.url(host), network: network, seconds: 1_200)
        }

        static func url(_ host: String) -> String { "http://\(host):\(FarServer.port)/geojson" }

        /// Whether the server receives more than it has now.
        func flows(seconds: Double = 30) throws -> Bool {
            let before = try server.process.storedBytes()
            return try eventually(within: seconds) { try server.process.storedBytes() > before }
        }

        func stands(
            _ state: UploadsInterface.State, _ reasons: [UploadsInterface.Reason], seconds: Double = 30
        ) throws -> Bool {
            try eventually(within: seconds) {
                guard let status = try chain.status() else { return false }
                guard status.state == state, reasons.contains(status.reason ?? "") else { return false }
                #expect((status.nextAttempt != nil) == (state == "backingOff"), "\(status)")
                return true
            }
        }

        var status: String {
            do { return "\(try chain.status().map { "\($0.state) \($0.reason ?? "")" } ?? "none")" } catch {
                return "\(error)"
            }
        }

        /// Everything that was recorded is at the server, once.
        func checkEverythingArrived() throws {
            chain.unplug()
            let last = try chain.drain(seconds: 60)
            let recording = try #require(try chain.recording())
            let ids = try server.process.storedIDs()
            #expect(ids.count == Int(last))
            #expect(Set(ids) == Set((1...max(1, last)).map { "\(recording.id)/\($0)" }))
        }
    }

    /// One daemon and one uploader go through all of it. The words for a person that go with a reason are the command
    /// line's business.
    @Test(arguments: TestNetwork.Family.allCases)
    func `whatever part of the path to the server fails, uploads pause with the reason, resume and lose nothing`(
        _ family: TestNetwork.Family
    ) throws {
        let scene = try Scene(family)
        defer { scene.chain.unplug() }
        try #require(try scene.flows(seconds: 120), "\(scene.chain.story)")
        for loss in Self.losses(of: scene.families) { try lose(loss, scene) }
        if family == .both { try loseOneVersion(scene) }
        try loseServer(scene)
        try meetPortal(scene)
        // The path stays lost: a report of the path may open a new connection, which resolves the name.
        let names = FarNameServer.program != nil ? try loseNameServer(scene) : nil
        try scene.checkEverythingArrived()
        try names?.stop()
    }

    private func lose(_ loss: Loss, _ scene: Scene) throws {
        let network = scene.network
        // The interface that the previous case created.
        _ = try network.machine.ipCan("nexthop flush")
        try network.restore()
        try loss.prepare(network)
        try #require(try scene.flows(), "before \(loss.name): \(scene.status)")
        try loss.operate(network)
        #expect(
            try scene.stands("waitingForPath", loss.reasons.map { .init(rawValue: $0.rawValue) }),
            "\(loss.name): \(scene.status), not \(loss.reasons)")
        // A response received just before may leave nothing pending until the next position.
        var reported = ""
        let isReported = try eventually(within: 30) {
            reported = try scene.chain.daemon.waymark("uploads").output
            return reported.contains("waiting for a path")
        }
        #expect(isReported, "\(loss.name): \(reported)")
        try loss.undo(network)
        #expect(
            try scene.flows(), "after \(loss.name): \(scene.status)\n\(scene.chain.uploader.log.suffix(2_000))")
    }

    /// With one version of the protocol lost, positions are sent over the other.
    private func loseOneVersion(_ scene: Scene) throws {
        for family in scene.families {
            let option = family.option
            try scene.network.machine.ip("\(option) rule add pref 100 prohibit")
            try scene.server.kill()
            try scene.server.start()
            #expect(try scene.flows(seconds: 60), "without \(family): \(scene.status)")
            try scene.network.machine.ip("\(option) rule del pref 100")
            #expect(try scene.flows(seconds: 60), "with \(family) again: \(scene.status)")
        }
    }

    private func loseServer(_ scene: Scene) throws {
        try scene.server.kill()
        #expect(try scene.stands("backingOff", ["connect", "connectionLost"]), "\(scene.status)")
        try scene.server.start()
        #expect(try scene.flows(seconds: 60), "\(scene.status)")
    }

    /// A captive portal responds with status 200 and a page for people.
    private func meetPortal(_ scene: Scene) throws {
        try scene.server.kill()
        try scene.server.start(["--fail", "captive"])
        #expect(try scene.stands("backingOff", ["captive"]), "\(scene.status)")
        try scene.server.kill()
        try scene.server.start()
        #expect(try scene.flows(seconds: 60), "\(scene.status)")
    }

    /// The server gets a name that only a name server knows, which then becomes unavailable.
    private func loseNameServer(_ scene: Scene) throws -> FarNameServer {
        let network = scene.network
        let name = "server.test"
        let router = network.family.hasIPv4 ? TestNetwork.routerIPv4() : TestNetwork.routerIPv6()
        let names = try FarNameServer(network, at: router, name, network.world)
        try names.choose()
        try scene.chain.send(to: Scene.url(name))
        let isThere = try eventually(within: 30) {
            try scene.chain.status()?.destination == "http://\(name):\(FarServer.port)"
        }
        #expect(try isThere && scene.flows(seconds: 60), "\(scene.status)")
        try names.stop()
        // An open connection needs no name, nor does a new one to an address that was resolved just before. Names are
        // resolved again whenever the network has changed.
        try scene.server.kill()
        let loss = try #require(Self.losses(of: scene.families).first)
        try loss.prepare(network)
        try loss.operate(network)
        #expect(
            try scene.stands("waitingForPath", loss.reasons.map { .init(rawValue: $0.rawValue) }), "\(scene.status)")
        try loss.undo(network)
        let isReported = try eventually(within: 60) {
            guard let status = try scene.chain.status() else { return false }
            return ["nameLookup", "nameServerNotAnswering", "resolving"].contains(status.reason ?? "")
        }
        #expect(isReported, "\(scene.status)")
        try scene.server.start()
        try names.start(name, network.world)
        #expect(try scene.flows(seconds: 60), "\(scene.status)")
        return names
    }
}
