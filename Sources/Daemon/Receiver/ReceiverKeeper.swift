import CLinux
import GPSD
import Glibc
import Platform

/// Keeps the connection to gpsd in the service manager's store of descriptors, and beside it how far it was read: what gpsd
/// sends while no daemon runs waits in the kernel for the next one.
@DaemonActor
final class ReceiverKeeper: SocketKeeping {
    /// What an earlier process left.
    struct Left: ~Copyable {
        let socket: OwnedDescriptor
        /// When that was read last, in nanoseconds of CLOCK_MONOTONIC.
        let lastRead: UInt64
        /// What had been read of a line whose end had not come yet.
        let remainder: LineSplitter.Remainder
    }

    /// By what it is known in the store.
    nonisolated static let name = "waymark-gpsd"
    /// How many descriptors it takes there.
    nonisolated static let descriptorCount = 2

    private let store: DescriptorStore
    private var mark: ReadMark?
    /// Until when the service manager is waited for; only a process that ends waits at all.
    private var waitsUntil: PollDeadline?
    private var isBroken = false

    /// The keeper of a process that a service manager started; nil where there is none.
    init?() throws(SystemError) {
        guard let store = try DescriptorStore() else { return nil }
        self.store = store
    }

    func keep(_ socket: Int32) -> Bool {
        do throws(SystemError) {
            // One that could not be taken out in its time would be handed over beside this one.
            guard try store.remove(Self.name, until: waitsUntil) else { return false }
            if mark == nil { mark = try ReadMark() }
            guard let mark else { return false }
            // Not polled: what came before gpsd went away is to be read yet.
            return try store.add(
                [socket, mark.descriptor], name: Self.name, isPolled: false, until: waitsUntil)
        } catch {
            complain(error)
            return false
        }
    }

    func letGo() {
        do throws(SystemError) { _ = try store.remove(Self.name) } catch { complain(error) }
    }

    func willRead() {
        mark?.remainder = .dropped
    }

    func wasRead(at monotonicNanoseconds: UInt64, remainder: LineSplitter.Remainder) {
        mark?.lastRead = monotonicNanoseconds
        mark?.remainder = remainder
    }

    /// From now on it waits for the service manager as long as that is not too long.
    func prepareToLeave() {
        waitsUntil = PollDeadline(seconds: 1)
    }

    /// Takes over what an earlier process left; nil where that is nothing, or of no use.
    func takeOver(_ handed: [Int32]) -> Left? {
        guard !handed.isEmpty else { return nil }
        guard handed.count == Self.descriptorCount, let socket = handed.first(where: ServiceManager.isStream),
            let file = handed.first(where: { !ServiceManager.isStream($0) })
        else { return end(handed, "\(handed.count) descriptors") }
        do {
            let mark = try ReadMark(adopting: OwnedDescriptor(adopting: file))
            self.mark = mark
            return Left(
                socket: OwnedDescriptor(adopting: socket), lastRead: mark.lastRead, remainder: mark.remainder)
        } catch {
            return end([socket], "\(error)")
        }
    }

    private func end(_ handed: [Int32], _ reason: String) -> Left? {
        Log.info("the connection to gpsd of an earlier daemon cannot go on: \(reason)")
        for number in handed {
            // The store has it too: gpsd is to learn now that it is over.
            shutdown(number, Int32(SHUT_RDWR))
            _ = close(number)
        }
        letGo()
        return nil
    }

    private func complain(_ error: SystemError) {
        if !isBroken { Log.warning("the connection to gpsd may not outlive this process: \(error)") }
        isBroken = true
    }
}
