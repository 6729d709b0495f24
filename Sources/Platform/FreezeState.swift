import CLinux
import Glibc

/// Whether the processes of a control group are frozen, cgroups(7).
public enum FreezeState {
    /// Whether a process's control group is frozen now; nil if that is unknown.
    ///
    /// Version 2 has `cgroup.events`, which includes a freeze of a parent group. Version 1 has the freezer's
    /// `freezer.state`.
    public static func isFrozen(_ peer: PeerIdentity) -> Bool? {
        guard let group = peer.controlGroup else { return nil }
        if let frozen = isFrozen(group) { return frozen }
        guard let path = versionOnePath(of: peer.processID), peer.isAlive else { return nil }
        return versionOneIsFrozen(folder: "/sys/fs/cgroup/freezer" + path)
    }

    /// Whether a control group of version 2 is frozen; nil if there is none at its path, or it is the root.
    public static func isFrozen(_ group: ControlGroup) -> Bool? {
        guard let file = eventsFile(of: group) else { return nil }
        do { return frozen(in: try BoundedFile.bytes(of: file, limit: 4_096)) } catch { return nil }
    }

    static func eventsFile(of group: ControlGroup) -> String? {
        guard let folder = ControlGroup.versionTwo, group.path != "/" else { return nil }
        return folder + group.path + "/cgroup.events"
    }

    /// The state in the content of a `cgroup.events`; nil if it has none.
    static func frozen(in events: [UInt8]) -> Bool? {
        for line in events.split(separator: UInt8(ascii: "\n")) {
            if line.elementsEqual("frozen 1".utf8) { return true }
            if line.elementsEqual("frozen 0".utf8) { return false }
        }
        return nil
    }

    static func versionOneIsFrozen(folder: String) -> Bool? {
        do {
            let state = try BoundedFile.bytes(of: folder + "/freezer.state", limit: 64)
            return state.starts(with: "FROZEN".utf8)
        } catch {
            return nil
        }
    }

    private static func versionOnePath(of processID: pid_t) -> String? {
        do {
            let text = try BoundedFile.bytes(of: "/proc/\(processID)/cgroup", limit: 65_536)
            for line in text.split(separator: UInt8(ascii: "\n")) {
                let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
                guard fields.count == 3,
                    fields[1].split(separator: UInt8(ascii: ",")).contains(where: {
                        $0.elementsEqual("freezer".utf8)
                    })
                else { continue }
                return String(validating: fields[2], as: UTF8.self)
            }
        } catch {
            return nil
        }
        return nil
    }
}

/// Reports when a control group of version 2 is frozen or thawed: its `cgroup.events` becomes ready then.
@DaemonActor
public final class FreezeWatcher {
    private let descriptor: OwnedDescriptor
    private let handler: @DaemonActor (Bool) -> Void
    private var source: IOSource?
    /// Whether it is frozen.
    public private(set) var isFrozen: Bool

    /// Watches a control group; nil if it cannot be watched. A group of version 1 can only be polled.
    public init?(_ group: ControlGroup, handler: @escaping @DaemonActor (Bool) -> Void) throws(SystemError) {
        guard let file = FreezeState.eventsFile(of: group) else { return nil }
        let opened = open(file, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        descriptor = OwnedDescriptor(adopting: opened)
        self.handler = handler
        guard let frozen = try Self.read(opened) else { return nil }
        isFrozen = frozen
        source = try IOSource(opened, IOEvents(rawValue: UInt32(EPOLLPRI.rawValue))) {
            [weak self] _ in self?.changed()
        }
    }

    /// Stops watching.
    public func cancel() {
        source?.cancel()
        source = nil
    }

    // Before the descriptor is closed, and on the loop's thread.
    isolated deinit {
        cancel()
    }

    /// Reads the state again, before the kernel's announcement of a change has arrived: it makes one in ten milliseconds.
    public func check() { changed() }

    private func changed() {
        var now: Bool?
        do throws(SystemError) { now = try Self.read(descriptor.number) } catch { now = nil }
        // The group was removed, and all its processes have ended.
        guard let now else { return cancel() }
        guard now != isFrozen else { return }
        isFrozen = now
        handler(now)
    }

    private static func read(_ descriptor: Int32) throws(SystemError) -> Bool? {
        try retrying("seek") { lseek(descriptor, 0, SEEK_SET) }
        return FreezeState.frozen(in: try BoundedFile.bytes(from: descriptor, limit: 4_096))
    }
}
