import GPSD
import Glibc
import Platform
import Varlink

/// Hands the open connections, those of clients and that to gpsd, to the next process of the service when this one is stopped
/// in order.
///
/// What was going on is written once, into a file in memory; that file and the descriptors go into the service manager's
/// store. The next process takes them out of it again before it does anything else, and leaves the file empty, so that
/// nothing is handed over twice. A process that crashes hands nothing over: its connections close.
@DaemonActor
final class Handover {
    /// What an earlier process left.
    struct Left: ~Copyable {
        /// Its connection to gpsd.
        var receiver: LeftConnection?
        /// Its clients' connections, which rest.
        var connections: [ServerConnection] = []
    }

    /// A connection of an earlier process, by its numbers here.
    private struct Client {
        var socket: Int32?
        var process: Int32?
    }

    /// The connection to gpsd, once it is left.
    var receiver: LeftConnection?
    /// What an earlier process left and cannot be used; its connections are ended.
    private(set) var loss: StateLoss?
    private let store: DescriptorStore
    /// How many descriptors the store takes beside the file and the connection to gpsd.
    private let room: Int

    /// What the daemon's unit asks for, FileDescriptorStoreMax= of systemd.service(5).
    static let usualRoom = 4_096
    /// How long the service manager may take for all of it: with the journal's patience less than `TimeoutStopSec=` of the unit.
    private static let patienceSeconds = 3.0
    /// How long it may then take to handle what it was sent.
    private static let handlingSeconds = 1.0
    nonisolated private static let fileName = "waymark-handover"
    nonisolated private static let receiverName = "waymark-gpsd"
    nonisolated private static let clientPrefix = "waymark-client-"
    private static let magic: UInt32 = 0x4F48_4D57
    private static let version: UInt32 = 1
    private static let longestFile = 1 << 30

    /// The handover of a process that a service manager started; nil where there is none.
    convenience init?() throws(SystemError) {
        guard let store = try DescriptorStore() else { return nil }
        self.init(store)
    }

    /// The handover over this store.
    init(_ store: consuming DescriptorStore) {
        room = (store.capacity ?? Self.usualRoom) - 2
        self.store = store
    }

    /// Whether clients' connections outlive an orderly stop, as far as is known.
    var isOfUse: Bool { room > 0 }

    /// Whether a descriptor of this name, which the service manager handed over, is part of a handover.
    nonisolated static func isPart(_ name: String) -> Bool {
        name == fileName || name == receiverName || name.hasPrefix(clientPrefix)
    }

    // At the stop

    /// Writes down what goes on and puts it into the store. Nothing may be received or sent from then on: the connections are
    /// to be closed right after. Those for which there is no room, or no time, end with that.
    func leave(_ connections: [ServerConnection]) {
        // A number that no other handover of this boot had.
        let first = SystemClock().monotonicNanoseconds
        let chosen = chosen(of: connections).enumerated().map { (id: first &+ UInt64($0), connection: $1) }
        guard !chosen.isEmpty || receiver != nil else { return }
        let deadline = PollDeadline(seconds: Self.patienceSeconds)
        do throws(SystemError) {
            let file = try MemoryFile.make(Self.fileName, containing: content(chosen))
            guard try store.add([file.number], name: Self.fileName, until: deadline) else {
                return Log.warning("the service manager does not take connections: clients have to connect anew")
            }
            if let number = receiver?.socket.number {
                // Not polled: what came before gpsd went away is to be read yet.
                _ = try store.add([number], name: Self.receiverName, isPolled: false, until: deadline)
            }
            for (id, connection) in chosen {
                _ = try store.add(connection.descriptors, name: Self.name(id), until: deadline)
            }
            ServiceManager.waitUntilHandled(seconds: Self.handlingSeconds)
        } catch {
            Log.warning("connections do not outlive this process: \(error)")
        }
    }

    /// Those for which there is room: streams first.
    private func chosen(of connections: [ServerConnection]) -> [ServerConnection] {
        var left = room
        return (connections.filter(\.hasStream) + connections.filter { !$0.hasStream }).filter {
            let count = $0.descriptors.count
            guard count > 0, count <= left else { return false }
            left -= count
            return true
        }
    }

    private func content(_ connections: [(id: UInt64, connection: ServerConnection)]) -> ArraySlice<UInt8> {
        var packed = PackedBytes()
        packed.append(Self.magic)
        packed.append(Self.version)
        packed.append(receiver?.lastRead ?? 0)
        switch receiver?.remainder {
        case .beginning(let bytes):
            packed.append(UInt8(1))
            packed.append(bytes)
        case .dropped, nil: packed.append(UInt8(0))
        }
        for (id, connection) in connections {
            guard let handed = connection.handedOver else { continue }
            packed.append(id)
            packed.append(handed.encoded)
        }
        return packed.bytes
    }

    private static func name(_ id: UInt64) -> String { clientPrefix + String(id) }

    // At the start

    /// Takes over what an earlier process left; the connections rest until somebody has them go on.
    func takeOver(_ handed: [HandedSockets.Named], into server: Server) -> Left {
        var left = Left()
        guard !handed.isEmpty else { return left }
        // Where the service manager did not let go of what an even earlier process left, that is here as well, and empty.
        let files = handed.filter { $0.name == Self.fileName }.map { readFile($0.number) }
        var packed = PackedBytes(files.first { !$0.isEmpty } ?? [])
        let hasOneReceiver = handed.count { $0.name == Self.receiverName } == 1
        remove(Set(handed.map(\.name)))
        let reading = readPosition(from: &packed)
        var clients: [UInt64: Client] = [:]
        for descriptor in handed where descriptor.name != Self.fileName {
            if descriptor.name == Self.receiverName, hasOneReceiver, let reading {
                left.receiver = LeftConnection(
                    socket: OwnedDescriptor(adopting: descriptor.number), lastRead: reading.time,
                    remainder: reading.remainder)
            } else if let id = UInt64(descriptor.name.dropFirst(Self.clientPrefix.count)) {
                let part: WritableKeyPath<Client, Int32?> =
                    ServiceManager.isUnixStream(descriptor.number) ? \.socket : \.process
                clients[id, default: Client()][keyPath: part] = descriptor.number
            } else {
                _ = close(descriptor.number)
            }
        }
        while let id = packed.next(UInt64.self), let bytes = packed.nextString() {
            guard let client = clients.removeValue(forKey: id) else { continue }
            if let connection = resume(client, bytes, into: server) { left.connections.append(connection) }
        }
        for client in clients.values { end(client) }
        if !left.connections.isEmpty { Log.info("\(left.connections.count) connections of clients go on") }
        if !clients.isEmpty {
            Log.warning("\(clients.count) connections of clients were ended: it is not known what was going on")
        }
        return left
    }

    /// What an earlier process wrote behind the header; nothing where that was taken already.
    private func readFile(_ number: Int32) -> [UInt8] {
        let file = OwnedDescriptor(adopting: number)
        do throws(SystemError) {
            let bytes = try MemoryFile.readContent(of: file, limit: Self.longestFile)
            var packed = PackedBytes(bytes)
            guard !bytes.isEmpty else { return [] }
            guard packed.next(UInt32.self) == Self.magic, let version = packed.next(UInt32.self) else {
                throw SystemError("read what was handed over", code: EBADMSG)
            }
            guard version == Self.version else {
                loss = StateLoss(file: Self.fileName, reason: "it is of version \(version), not \(Self.version)")
                return []
            }
            return Array(packed.bytes)
        } catch {
            loss = StateLoss(file: Self.fileName, reason: "\(error)")
            return []
        }
    }

    /// The store lets go of everything: from here on a connection ends when this process closes it.
    private func remove(_ names: Set<String>) {
        let deadline = PollDeadline(seconds: Self.patienceSeconds)
        do throws(SystemError) {
            for name in names where try !store.remove(name, until: deadline) {
                return Log.warning("the service manager does not let go of connections: some may end late")
            }
        } catch {
            Log.warning("connections that end may stay open for their clients: \(error)")
        }
    }

    /// How far the connection to gpsd was read; nil where that is not known.
    private func readPosition(from packed: inout PackedBytes) -> (time: UInt64, remainder: LineSplitter.Remainder)? {
        guard let time = packed.next(UInt64.self), let hasBeginning = packed.next(UInt8.self) else { return nil }
        guard hasBeginning != 0 else { return (time, .dropped) }
        return packed.nextString().map { (time, .beginning($0)) }
    }

    private func resume(_ client: Client, _ bytes: [UInt8], into server: Server) -> ServerConnection? {
        guard let number = client.socket, let handed = HandedConnection(decoding: bytes) else {
            end(client)
            return nil
        }
        let process = client.process.map { OwnedDescriptor(adopting: $0) }
        do {
            return try server.resume(OwnedDescriptor(adopting: number), process: process, handed)
        } catch {
            Log.debug("a connection cannot go on: \(error)")
            return nil
        }
    }

    private func end(_ client: Client) {
        if let socket = client.socket {
            // The store may have it as well, until it has heard: the client is to learn now that it is over.
            shutdown(socket, Int32(SHUT_RDWR))
            _ = close(socket)
        }
        if let process = client.process { _ = close(process) }
    }
}
