import GPSD
import Glibc
import Platform
import Varlink

/// Passes the open connections of clients and the connection to gpsd to the service's next process at an orderly stop.
///
/// The state of the connections is written once, into a memory file, which goes into the service manager's descriptor
/// store together with the connections' descriptors. The next process removes all of them from the store before it does
/// anything else, and empties the file, so nothing is handed over twice. A process that crashes hands nothing over, and
/// its connections close.
@DaemonActor
final class Handover {
    /// What an earlier process handed over.
    struct Left: ~Copyable {
        /// Its connection to gpsd.
        var receiver: LeftConnection?
        /// Its clients' connections, not resumed yet.
        var connections: [ServerConnection] = []
    }

    /// The descriptors of one handed-over connection.
    private struct Client {
        var socket: Int32?
        var process: Int32?
    }

    /// The connection to gpsd, once it is prepared for the handover.
    var receiver: LeftConnection?
    /// A handover of an earlier process that cannot be used; its connections are closed.
    private(set) var loss: StateLoss?
    private let store: DescriptorStore
    /// The number of descriptors that the store accepts in addition to the file and the connection to gpsd.
    private let room: Int

    /// FileDescriptorStoreMax= in the daemon's unit, systemd.service(5).
    static let usualRoom = 4_096
    /// Time limit in seconds for all messages to the service manager. Together with the journal's time limit it is less
    /// than `TimeoutStopSec=` in the unit.
    private static let patienceSeconds = 3.0
    /// Seconds for the service manager to process the messages after that.
    private static let handlingSeconds = 1.0
    nonisolated private static let fileName = "waymark-handover"
    nonisolated private static let receiverName = "waymark-gpsd"
    nonisolated private static let clientPrefix = "waymark-client-"
    private static let magic: UInt32 = 0x4F48_4D57
    private static let version: UInt32 = 1
    private static let longestFile = 1 << 30

    /// The handover of a process that a service manager started; nil without a service manager.
    convenience init?() throws(SystemError) {
        guard let store = try DescriptorStore() else { return nil }
        self.init(store)
    }

    /// The handover through this store.
    init(_ store: consuming DescriptorStore) {
        room = (store.capacity ?? Self.usualRoom) - 2
        self.store = store
    }

    /// Whether clients' connections can survive an orderly stop, as far as is known.
    var isOfUse: Bool { room > 0 }

    /// Whether a descriptor of this name, received from the service manager, is part of a handover.
    nonisolated static func isPart(_ name: String) -> Bool {
        name == fileName || name == receiverName || name.hasPrefix(clientPrefix)
    }

    // At the stop

    /// Writes the state of the connections and puts it into the store together with their descriptors. Nothing may be
    /// received or sent afterwards, and the connections are to be closed at once. Connections for which there is no
    /// room or no time end with that.
    func leave(_ connections: [ServerConnection]) {
        // A number that no other handover of this boot used.
        let first = SystemClock().monotonicNanoseconds
        let chosen = chosen(of: connections).enumerated().map { (id: first &+ UInt64($0), connection: $1) }
        guard !chosen.isEmpty || receiver != nil else { return }
        let deadline = PollDeadline(seconds: Self.patienceSeconds)
        do throws(SystemError) {
            let file = try MemoryFile.make(Self.fileName, containing: content(chosen))
            guard try store.add([file.number], name: Self.fileName, until: deadline) else {
                return Log.warning("the service manager stores no connections, so clients have to reconnect")
            }
            if let number = receiver?.socket.number {
                // The store must not poll this descriptor: data that gpsd sent before it disconnected is still to be
                // read.
                _ = try store.add([number], name: Self.receiverName, isPolled: false, until: deadline)
            }
            for (id, connection) in chosen {
                _ = try store.add(connection.descriptors, name: Self.name(id), until: deadline)
            }
            ServiceManager.waitUntilHandled(seconds: Self.handlingSeconds)
        } catch {
            Log.warning("connections could not be handed over to the next process: \(error)")
        }
    }

    /// The connections for which there is room; streams have priority.
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

    /// Adopts what an earlier process handed over. The connections stay paused until they are resumed.
    func takeOver(_ handed: [HandedSockets.Named], into server: Server) -> Left {
        var left = Left()
        guard !handed.isEmpty else { return left }
        // An even earlier handover that the service manager did not remove is present as well; its file is empty.
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
        if !left.connections.isEmpty { Log.info("\(left.connections.count) connections of clients continue") }
        if !clients.isEmpty {
            Log.warning("\(clients.count) connections of clients were closed, because their state is unknown")
        }
        return left
    }

    /// The content of the file after the header; empty if it was read before.
    private func readFile(_ number: Int32) -> [UInt8] {
        let file = OwnedDescriptor(adopting: number)
        do throws(SystemError) {
            let bytes = try MemoryFile.readContent(of: file, limit: Self.longestFile)
            var packed = PackedBytes(bytes)
            guard !bytes.isEmpty else { return [] }
            guard packed.next(UInt32.self) == Self.magic, let version = packed.next(UInt32.self) else {
                throw SystemError("read the handed-over state", code: EBADMSG)
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

    /// Removes everything from the store, so that a connection ends when this process closes it.
    private func remove(_ names: Set<String>) {
        let deadline = PollDeadline(seconds: Self.patienceSeconds)
        do throws(SystemError) {
            for name in names where try !store.remove(name, until: deadline) {
                return Log.warning("the service manager did not remove stored connections in time; some may end late")
            }
        } catch {
            Log.warning("stored connections could not be removed, so clients may see them end late: \(error)")
        }
    }

    /// The read position of the connection to gpsd; nil if it is unknown.
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
            Log.debug("a connection cannot continue: \(error)")
            return nil
        }
    }

    private func end(_ client: Client) {
        if let socket = client.socket {
            // The store may still hold a duplicate descriptor. shutdown(2) informs the client at once that the
            // connection has ended.
            shutdown(socket, Int32(SHUT_RDWR))
            _ = close(socket)
        }
        if let process = client.process { _ = close(process) }
    }
}
