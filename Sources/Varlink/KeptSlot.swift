import CLinux
import Glibc
import Platform

/// Where one connection is kept in a `KeptTable`: the conversation, and what is still to be sent.
@DaemonActor
public final class KeptSlot {
    /// What was kept of a connection.
    public struct Content {
        /// What it had going.
        public var conversation: KeptConversation
        /// What is still to be sent: the rest of a reply, replies that follow it, or nothing.
        public var output: [UInt8]
        /// How many bytes it has received.
        var received: UInt64
        /// The digest of what was said last in reply to the call in progress.
        var latest: UInt64
    }

    private let table: KeptTable
    private let index: Int
    private let memory: UnsafeMutableRawPointer

    // In the slot: its number, where the record lies that holds, how often it was tried to go on, and then room for
    // records: two small ones in the first page, two large ones behind.
    private static let activeOffset = 8
    private static let attemptsOffset = 12
    private static let smallRooms: [Range<Int>] = [64..<2_080, 2_080..<4_096]
    private static let largeRooms: [Range<Int>] = [4_096..<524_288, 524_288..<KeptTable.slotSize]

    // In a record: what is sent of it by the kernel's count, lengths, how much was received, what was said last, a digest, and
    // the bytes.
    private static let headLengthOffset = 80
    private static let outputLengthOffset = 84
    private static let receivedOffset = 88
    private static let latestOffset = 96
    private static let digestOffset = 104
    private static let bytesOffset = 112

    init(_ table: KeptTable, _ index: Int, _ memory: UnsafeMutableRawPointer) {
        self.table = table
        self.index = index
        self.memory = memory
    }

    /// Its number, by which the connection is known in the store as well; 0 where it is not in use.
    public var id: UInt64 { memory.load(as: UInt64.self) }

    func begin(_ id: UInt64) {
        memory.storeBytes(of: 0, toByteOffset: Self.activeOffset, as: UInt64.self)
        memory.storeBytes(of: id, as: UInt64.self)
    }

    /// Keeps nothing any more, and leaves nothing of what was kept.
    public func end() {
        guard id != 0 else { return }
        waymark_publish(memory + Self.activeOffset, 0)
        memset(memory, 0, 4_096)
        dropLargeRooms()
        hasLarge = false
        table.giveBack(index)
    }

    // Keeping

    /// Whether what holds may be used.
    var isKept: Bool { active != 0 }

    /// Whether the kernel has taken anything of the output since it was kept.
    var hasSent: Bool { active != 0 && counted.pointee.count > 0 }

    /// Keeps this in place of what was kept. Where it is too long, nothing is kept: the connection then ends with the
    /// process.
    func keep(_ head: [UInt8], output: some Collection<[UInt8]>, sentOfFirst: Int, received: UInt64, latest: UInt64) {
        let length = output.reduce(-sentOfFirst) { $0 + $1.count }
        let total = Self.bytesOffset + head.count + length
        let isLarge = total > Self.smallRooms[0].count
        let rooms = isLarge ? Self.largeRooms : Self.smallRooms
        let room = rooms[0].lowerBound == active ? rooms[1] : rooms[0]
        guard total <= room.count else { return waymark_publish(memory + Self.activeOffset, 0) }
        let record = memory + room.lowerBound
        counted(at: record).pointee.count = 0
        record.storeBytes(of: UInt32(head.count), toByteOffset: Self.headLengthOffset, as: UInt32.self)
        record.storeBytes(of: UInt32(length), toByteOffset: Self.outputLengthOffset, as: UInt32.self)
        record.storeBytes(of: received, toByteOffset: Self.receivedOffset, as: UInt64.self)
        record.storeBytes(of: latest, toByteOffset: Self.latestOffset, as: UInt64.self)
        var at = Self.bytesOffset
        copy(head[...], to: record, &at)
        var sent = sentOfFirst
        for message in output {
            copy(message[sent...], to: record, &at)
            sent = 0
        }
        record.storeBytes(of: digest(of: record, total), toByteOffset: Self.digestOffset, as: UInt64.self)
        waymark_publish(memory + Self.activeOffset, UInt32(room.lowerBound))
        if hasLarge, !isLarge { dropLargeRooms() }
        hasLarge = isLarge
    }

    /// Whether pages behind the first are in use.
    private var hasLarge = false

    private func dropLargeRooms() {
        // Only memory is saved by it.
        if hasLarge { _ = madvise(memory + 4_096, KeptTable.slotSize - 4_096, MADV_REMOVE) }
    }

    private func copy(_ bytes: ArraySlice<UInt8>, to record: UnsafeMutableRawPointer, _ at: inout Int) {
        guard !bytes.isEmpty else { return }
        bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            memcpy(record + at, base, source.count)
        }
        at += bytes.count
    }

    private func digest(of record: UnsafeMutableRawPointer, _ total: Int) -> UInt64 {
        var digest = KeptDigest()
        digest.add(UnsafeRawBufferPointer(start: record + Self.headLengthOffset, count: 24))
        digest.add(UnsafeRawBufferPointer(start: record + Self.bytesOffset, count: total - Self.bytesOffset))
        return digest.value
    }

    // Sending and receiving

    /// Sends the output that is kept, of which nothing is sent yet; returns how many bytes the kernel took. A client that
    /// is gone takes all of them.
    func send(to socket: Int32) -> Int {
        let record = memory + active
        let head = Int(record.load(fromByteOffset: Self.headLengthOffset, as: UInt32.self))
        let length = Int(record.load(fromByteOffset: Self.outputLengthOffset, as: UInt32.self))
        while true {
            let status = waymark_send_counted(socket, counted, record + Self.bytesOffset + head, length)
            if status == 1 { return Int(counted.pointee.count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS, ENOMEM: return 0
            default: return length
            }
        }
    }

    func receive(from socket: Int32, after received: UInt64) -> Server.Received {
        table.receive(from: socket, for: self, after: received)
    }

    private var active: Int { Int(memory.load(fromByteOffset: Self.activeOffset, as: UInt32.self)) }

    private var counted: UnsafeMutablePointer<waymark_counted> { counted(at: memory + active) }

    private func counted(at record: UnsafeMutableRawPointer) -> UnsafeMutablePointer<waymark_counted> {
        record.assumingMemoryBound(to: waymark_counted.self)
    }

    // After a restart

    /// How often it was tried in vain to go on with it: each time the process ended within the attempt.
    public private(set) var attempts: Int {
        get { Int(memory.load(fromByteOffset: Self.attemptsOffset, as: UInt32.self)) }
        set { waymark_publish(memory + Self.attemptsOffset, UInt32(clamping: newValue)) }
    }

    /// Runs an attempt to go on.
    func attempt(_ body: () -> Void) {
        attempts += 1
        body()
        // The connection, and this with it, may be gone.
        if id != 0 { attempts = 0 }
    }

    /// What was kept; nil where nothing sound was.
    public var content: Content? {
        let active = active
        guard let room = (Self.smallRooms + Self.largeRooms).first(where: { $0.lowerBound == active }) else {
            return nil
        }
        let record = memory + active
        let head = Int(record.load(fromByteOffset: Self.headLengthOffset, as: UInt32.self))
        let length = Int(record.load(fromByteOffset: Self.outputLengthOffset, as: UInt32.self))
        let total = Self.bytesOffset + head + length
        let received = record.load(fromByteOffset: Self.receivedOffset, as: UInt64.self)
        let sent = Int(counted.pointee.count)
        guard total <= room.count, sent <= length,
            record.load(fromByteOffset: Self.digestOffset, as: UInt64.self) == digest(of: record, total),
            var conversation = KeptConversation(decoding: bytes(record + Self.bytesOffset, head))
        else { return nil }
        hasLarge = active >= 4_096
        let more = table.inputBeyond(received, of: id)
        conversation.input += more
        return Content(
            conversation: conversation, output: bytes(record + Self.bytesOffset + head + sent, length - sent),
            received: received &+ UInt64(more.count),
            latest: record.load(fromByteOffset: Self.latestOffset, as: UInt64.self))
    }

    private func bytes(_ start: UnsafeMutableRawPointer, _ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
