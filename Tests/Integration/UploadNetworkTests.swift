import CLinux
import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestSupport
import Varlink

/// Uploads on a machine of a test's own that loses its network, its name server, its server, or is behind a portal: they
/// pause and say why, resume by themselves, and everything arrives once.
@Suite(.serialized, .enabled(if: PrivateNetwork.isPossible, "only root can make a network"))
struct UploadNetworkTests {
    /// A server on the other side of the router, on a socket made there.
    private final class FarServer {
        static let port: UInt16 = 8_765
        private let network: TestNetwork
        let process: UploadServerProcess

        init(_ network: TestNetwork) throws {
            self.network = network
            let socket = try Self.socket(in: network)
            process = try UploadServerProcess(socket: socket.number)
        }

        func start(_ more: [String] = []) throws {
            let socket = try Self.socket(in: network)
            try process.restart(more: more, socket: socket.number)
        }

        private static func socket(in network: TestNetwork) throws -> OwnedDescriptor {
            try network.far.inside {
                let socket = try OwnedDescriptor("make a socket") {
                    Glibc.socket(
                        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
                }
                var yes: Int32 = 1
                try retrying("share a port") {
                    setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
                }
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                try retrying("bind") {
                    withUnsafePointer(to: &address) {
                        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                        }
                    }
                }
                try retrying("listen") { listen(socket.number, 64) }
                return socket
            }
        }
    }

    private let network: TestNetwork
    private let server: FarServer

    init() throws {
        network = try TestNetwork(.ipv4)
        server = try FarServer(network)
    }

    private func scene(host: String = TestNetwork.worldIPv4) throws -> UploadChain {
        try UploadChain(
            format: "geojson", url: "http://\(host):\(FarServer.port)/geojson", network: network, seconds: 1_200)
    }

    /// Whether more comes to the server than it has now.
    private func flows(_ scene: UploadChain, seconds: Double = 30) throws -> Bool {
        let before = try server.process.storedIDs().count
        return try eventually(within: seconds) { try server.process.storedIDs().count > before }
    }

    private func stands(_ scene: UploadChain, _ state: String, _ reasons: [String], seconds: Double = 20) throws -> Bool
    {
        try eventually(within: seconds) {
            guard let standing = try scene.standing() else { return false }
            return standing.state == state && reasons.contains(standing.reason ?? "")
        }
    }

    private func standing(_ scene: UploadChain) -> String {
        do { return "\(try scene.standing().map { "\($0.state) \($0.reason ?? "")" } ?? "none")" } catch {
            return "\(error)"
        }
    }

    /// Everything that was recorded is at the server, once.
    private func checkEverythingArrived(_ scene: UploadChain) throws {
        scene.unplug()
        let last = try scene.drain(seconds: 60)
        let recording = try #require(try scene.recording())
        let ids = try server.process.storedIDs()
        #expect(ids.count == Int(last))
        #expect(Set(ids) == Set((1...max(1, last)).map { "\(recording.id)/\($0)" }))
    }

    /// The words for a person that go with the reason are the command line's business.
    @Test func `whichever way the network is lost, uploads pause with its reason, resume and lose nothing`() throws {
        let scene = try scene()
        defer { scene.unplug() }
        try #require(try flows(scene), "\(scene.story)")
        for situation in NetworkSituation.losses where situation.families.contains(.ipv4) {
            guard case .lost(_, let reason) = situation.outcome else { continue }
            // What the one before has made.
            _ = try network.machine.ipCan("nexthop flush")
            try network.restore()
            try situation.prepare(network, [.ipv4])
            try #require(try flows(scene), "before \(situation.name): \(standing(scene))")
            try situation.operate(network, [.ipv4])
            #expect(
                try stands(scene, "waitingForPath", [reason.rawValue]),
                "\(situation.name): \(standing(scene)), not \(reason)")
            let told = try CompletedProcess.run(
                Products.program("waymark"), ["--socket", scene.daemon.socketPath, "uploads"])
            #expect(told.output.contains("waiting for a way"), "\(situation.name): \(told.output)")
            try situation.undo(network, [.ipv4])
            #expect(
                try flows(scene), "after \(situation.name): \(standing(scene))\n\(scene.uploader.log.suffix(2_000))")
        }
        try checkEverythingArrived(scene)
    }

    @Test func `with the network up and the server down uploads are tried again until it is back`() throws {
        let scene = try scene()
        defer { scene.unplug() }
        try #require(try flows(scene), "\(scene.story)")
        try server.process.kill()
        #expect(try stands(scene, "backingOff", ["connect", "connectionLost"]), "\(standing(scene))")
        #expect(try #require(try scene.standing()).nextAttempt != nil)
        try server.start()
        #expect(try flows(scene), "\(standing(scene))")
        try checkEverythingArrived(scene)
    }

    @Test func `a portal that answers 200 with a page takes nothing, and uploads go on when it is gone`() throws {
        let scene = try scene()
        defer { scene.unplug() }
        try #require(try flows(scene), "\(scene.story)")
        try server.process.kill()
        try server.start(["--fail", "captive"])
        #expect(try stands(scene, "backingOff", ["captive"]), "\(standing(scene))")
        try server.process.kill()
        try server.start()
        #expect(try flows(scene, seconds: 60), "\(standing(scene))")
        try checkEverythingArrived(scene)
    }

    @Test(.enabled(if: NameServer.isPossible, "there is no dnsmasq"))
    func `without a name server uploads wait for the name, and go on when it answers again`() throws {
        let names = try NameServer(in: network.machine)
        try names.start()
        try network.far.ip("address add 198.51.100.1/32 dev lo")
        let scene = try scene(host: "one.example")
        defer { scene.unplug() }
        try #require(try flows(scene), "\(scene.story)")
        try names.ask(NameServer.nobody)
        // A connection that is open needs no name.
        try server.process.kill()
        try server.start()
        #expect(
            try eventually(within: 30) {
                guard let standing = try scene.standing() else { return false }
                return ["nameLookup", "nameServerNotAnswering", "resolving"].contains(standing.reason ?? "")
            }, "\(standing(scene))")
        try names.ask(NameServer.address)
        #expect(try flows(scene, seconds: 60), "\(standing(scene))")
        try checkEverythingArrived(scene)
    }
}
