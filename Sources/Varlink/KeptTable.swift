import CLinux
import Glibc
import Platform

/// Shared memory in which connections are kept, for the next process of the service.
///
/// Its file has no name and lies in the service manager's store of descriptors. A change is written beside what holds and
/// then made to hold by storing one number; and the counts of bytes sent and received are written by the kernel itself,
/// within the call that moves the bytes. So at every instruction it tells exactly how each connection stands, whatever ends
/// the process.
///
/// Pages take memory once they are used: 4 KiB of a connection of which there is little to keep.
@DaemonActor
public final class KeptTable {
    /// What is not a table, or one of another version of this program.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        /// Why, for a person.
        public let description: String
    }

    /// The descriptor of its file, to be put into the store.
    public var descriptor: Int32 { file.descriptor.number }
    /// How many connections it has room for.
    public let capacity: Int
    private let file: MemoryFile
    private let memory: UnsafeMutableRawPointer
    private var free: [Int] = []

    private static let magic: UInt64 = 0x4B54_5241_4D59_4157
    private static let layoutVersion: UInt32 = 1
    static let slotSize = 1 << 20
    private static let stageSize = 64 << 10
    private static let slotsOffset = 128 << 10

    // Where things are in the first page.
    private static let versionOffset = 8
    private static let capacityOffset = 12
    private static let lastIDOffset = 16
    private static let stageOffset = 64
    private static let stagedIDOffset = 192
    private static let stagedAfterOffset = 200
    private static let stagedBytesOffset = 4_096

    /// An empty table.
    public init(capacity: Int) throws(SystemError) {
        file = try MemoryFile("waymark-clients", size: Self.slotsOffset + capacity * Self.slotSize)
        memory = file.memory
        self.capacity = capacity
        memory.storeBytes(of: Self.magic, as: UInt64.self)
        memory.storeBytes(of: Self.layoutVersion, toByteOffset: Self.versionOffset, as: UInt32.self)
        memory.storeBytes(of: UInt32(capacity), toByteOffset: Self.capacityOffset, as: UInt32.self)
        free = Array((0..<capacity).reversed())
    }

    /// The table of an earlier process.
    public init(adopting file: consuming OwnedDescriptor) throws {
        self.file = try MemoryFile(adopting: file)
        memory = self.file.memory
        capacity = (self.file.size - Self.slotsOffset) / Self.slotSize
        guard capacity > 0, capacity <= 1 << 16, self.file.size == Self.slotsOffset + capacity * Self.slotSize
        else { throw Unreadable(description: "its size is another") }
        let version = memory.load(fromByteOffset: Self.versionOffset, as: UInt32.self)
        guard memory.load(as: UInt64.self) == Self.magic, version == Self.layoutVersion,
            memory.load(fromByteOffset: Self.capacityOffset, as: UInt32.self) == UInt32(capacity)
        else { throw Unreadable(description: "it is of version \(version), not \(Self.layoutVersion)") }
    }

    /// A slot for a connection, of a number that no other ever had; nil where there is no room.
    public func add() -> KeptSlot? {
        guard let index = free.popLast() else { return nil }
        let id = memory.load(fromByteOffset: Self.lastIDOffset, as: UInt64.self) &+ 1
        memory.storeBytes(of: id, toByteOffset: Self.lastIDOffset, as: UInt64.self)
        let slot = KeptSlot(self, index, memory + Self.slotsOffset + index * Self.slotSize)
        slot.begin(id)
        return slot
    }

    /// The slots that an earlier process left; those that are not wanted are to be ended.
    public func takeSlots() -> [KeptSlot] {
        applyStage()
        var slots: [KeptSlot] = []
        free = []
        for index in (0..<capacity).reversed() {
            let slot = KeptSlot(self, index, memory + Self.slotsOffset + index * Self.slotSize)
            if slot.id == 0 { free.append(index) } else { slots.append(slot) }
        }
        return slots
    }

    func giveBack(_ index: Int) { free.append(index) }

    // Receiving

    /// Receives for a connection that has received so many bytes before. Until its slot holds more than that, what comes
    /// of it belongs to what the connection has received, whatever ends the process.
    func receive(from socket: Int32, for slot: KeptSlot, after received: UInt64) -> Server.Received {
        memory.storeBytes(of: 0, toByteOffset: Self.stagedIDOffset, as: UInt64.self)
        memory.storeBytes(of: received, toByteOffset: Self.stagedAfterOffset, as: UInt64.self)
        stage.pointee.count = 0
        waymark_publish(memory + Self.stagedIDOffset + 4, UInt32(slot.id >> 32))
        waymark_publish(memory + Self.stagedIDOffset, UInt32(truncatingIfNeeded: slot.id))
        while true {
            let status = waymark_receive_counted(socket, stage, memory + Self.stagedBytesOffset, Self.stageSize)
            if status == 1 {
                let count = Int(stage.pointee.count)
                return count == 0 ? .end : .bytes(staged(count)[...])
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            default: return .failed
            }
        }
    }

    private var stage: UnsafeMutablePointer<waymark_counted> {
        (memory + Self.stageOffset).assumingMemoryBound(to: waymark_counted.self)
    }

    private func staged(_ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: memory + Self.stagedBytesOffset, count: min(count, Self.stageSize)))
    }

    /// What was received last and not kept otherwise before the process ended.
    private var staged: (id: UInt64, after: UInt64, bytes: [UInt8])?

    private func applyStage() {
        let id = memory.load(fromByteOffset: Self.stagedIDOffset, as: UInt64.self)
        let count = Int(stage.pointee.count)
        guard id != 0, count > 0, count <= Self.stageSize else { return }
        let after = memory.load(fromByteOffset: Self.stagedAfterOffset, as: UInt64.self)
        staged = (id, after, staged(count))
    }

    /// What belongs to a connection's input beyond what its slot holds.
    func inputBeyond(_ received: UInt64, of id: UInt64) -> [UInt8] {
        guard let staged, staged.id == id, staged.after == received else { return [] }
        return staged.bytes
    }
}
