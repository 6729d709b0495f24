import Glibc
import Platform
import Varlink

/// Keeps clients' connections in the service manager's store of descriptors, and takes them from there after a restart.
@DaemonActor
final class ConnectionKeeper: ConnectionKeeping {
    /// A connection of an earlier process, by its number there.
    private struct Handed {
        var socket: Int32?
        var process: Int32?
    }

    private let store: DescriptorStore
    private var table: KeptTable?
    private var isTableStored = false
    /// How many descriptors the store takes of clients.
    private let room: Int
    private var taken: [UInt64: Int] = [:]
    private var used = 1
    /// Until when the service manager is waited for; only a process that ends waits at all.
    private var waitsUntil: PollDeadline?
    private var isBroken = false
    /// What an earlier process left and cannot be used; its connections are ended.
    private(set) var loss: StateLoss?

    /// What the daemon's unit asks for, FileDescriptorStoreMax= of systemd.service(5).
    static let usualRoom = 4_096
    nonisolated private static let tableName = "waymark-clients"
    nonisolated private static let clientPrefix = "waymark-client-"
    /// A connection with which the process ended so often is not gone on with.
    private static let mostAttempts = 3

    /// The keeper of a process that a service manager started; nil where there is none.
    convenience init?() throws(SystemError) {
        guard let store = try DescriptorStore() else { return nil }
        self.init(store)
    }

    /// The keeper of what is put into this store.
    init(_ store: consuming DescriptorStore) {
        room = max(1, (store.capacity ?? Self.usualRoom) - ReceiverKeeper.descriptorCount)
        self.store = store
    }

    /// Whether clients' connections outlive this process, as far as is known: the store has room for one, and took what it
    /// was given.
    var isOfUse: Bool { room > 1 && !isBroken }

    /// Whether a descriptor of this name, which the service manager handed over, is for a keeper.
    nonisolated static func isKept(_ name: String) -> Bool { name == tableName || name.hasPrefix(clientPrefix) }

    // Keeping

    func keep(
        _ socket: Int32, of peer: PeerIdentity, hasPrecedence: Bool, _ fill: (KeptSlot) -> Void
    ) -> KeptSlot? {
        // Where the kernel binds a process to its connection, it can be asked for again at any time.
        var descriptors = [socket]
        if peer.isRacy, let process = peer.pidfdNumber { descriptors.append(process) }
        guard used + descriptors.count <= (hasPrecedence ? room : room / 2) else { return nil }
        do throws(SystemError) {
            guard let slot = try storedTable()?.add() else { return nil }
            fill(slot)
            guard try store.add(descriptors, name: Self.name(slot.id), until: waitsUntil) else {
                slot.end()
                return nil
            }
            taken[slot.id] = descriptors.count
            used += descriptors.count
            return slot
        } catch {
            complain(error)
            return nil
        }
    }

    func letGo(_ slot: KeptSlot) {
        let id = slot.id
        slot.end()
        used -= taken.removeValue(forKey: id) ?? 0
        do throws(SystemError) {
            // A store that is not told notices by itself that both ends are shut.
            _ = try store.remove(Self.name(id))
        } catch {
            complain(error)
        }
    }

    /// From now on it waits for the service manager as long as that is not too long in all.
    func prepareToLeave() {
        waitsUntil = PollDeadline(seconds: 1)
    }

    private static func name(_ id: UInt64) -> String { clientPrefix + String(id) }

    private func storedTable() throws(SystemError) -> KeptTable? {
        let table: KeptTable
        if let known = self.table { table = known } else { table = try KeptTable(capacity: max(1, room - 1)) }
        self.table = table
        if !isTableStored {
            isTableStored = try store.add([table.descriptor], name: Self.tableName, until: waitsUntil)
        }
        return isTableStored ? table : nil
    }

    private func complain(_ error: SystemError) {
        if !isBroken { Log.warning("clients' connections may not outlive this process: \(error)") }
        isBroken = true
    }

    // After a restart

    /// Takes over what an earlier process left; the connections rest until somebody has them go on.
    func takeOver(_ kept: [HandedSockets.Named], into server: Server) -> [ServerConnection] {
        var clients: [UInt64: Handed] = [:]
        for descriptor in kept {
            if descriptor.name == Self.tableName {
                takeTable(descriptor.number)
            } else if let id = UInt64(descriptor.name.dropFirst(Self.clientPrefix.count)) {
                sort(descriptor.number, into: &clients[id, default: Handed()])
            } else {
                _ = close(descriptor.number)
            }
        }
        var connections: [ServerConnection] = []
        var ended = 0
        for slot in table?.takeSlots() ?? [] {
            let handed = clients.removeValue(forKey: slot.id)
            if let connection = takeOver(slot, handed, into: server) {
                connections.append(connection)
            } else {
                if handed?.socket != nil { ended += 1 }
                letGo(slot)
            }
        }
        for (id, handed) in clients {
            ended += 1
            end(handed)
            forget(Self.name(id))
        }
        if !connections.isEmpty { Log.info("\(connections.count) connections of clients go on") }
        if ended > 0 {
            Log.warning(
                "\(ended) connections of clients were ended, as it was not known how they stood: they may reconnect")
        }
        return connections
    }

    private func takeTable(_ number: Int32) {
        do {
            table = try KeptTable(adopting: OwnedDescriptor(adopting: number))
            isTableStored = true
        } catch {
            loss = StateLoss(file: Self.tableName, reason: "\(error)")
            forget(Self.tableName)
        }
    }

    private func forget(_ name: String) {
        do throws(SystemError) { _ = try store.remove(name) } catch { complain(error) }
    }

    private func sort(_ number: Int32, into handed: inout Handed) {
        if ServiceManager.isUnixStream(number) {
            handed.socket = number
        } else {
            handed.process = number
        }
    }

    private func takeOver(_ slot: KeptSlot, _ handed: Handed?, into server: Server) -> ServerConnection? {
        guard let handed, let number = handed.socket, slot.attempts < Self.mostAttempts, let content = slot.content
        else {
            if let handed { end(handed) }
            return nil
        }
        let process = handed.process.map { OwnedDescriptor(adopting: $0) }
        let count = handed.process == nil ? 1 : 2
        // The number stays open in any case: the connection, or what is left of it below, closes it.
        do {
            let connection = try server.resume(
                OwnedDescriptor(adopting: number), process: process, slot: slot, content: content)
            taken[slot.id] = count
            used += count
            return connection
        } catch {
            Log.debug("a connection cannot go on: \(error)")
            return nil
        }
    }

    /// The store may have it as well: the client is to learn now that it is over.
    private func end(_ handed: Handed) {
        if let socket = handed.socket {
            shutdown(socket, Int32(SHUT_RDWR))
            _ = close(socket)
        }
        if let process = handed.process { _ = close(process) }
    }
}
