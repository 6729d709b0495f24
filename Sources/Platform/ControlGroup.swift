import CLinux
import CSystemd
import Glibc

/// A control group, cgroups(7), and its meaning in systemd's layout.
///
/// Slices are folders of units. `user-1000.slice/user@1000.service` is a user's own manager, with its units below. Only
/// systemd or root can move a process into a system unit; a user can move processes between the units below the user's
/// own manager.
public struct ControlGroup: Hashable, Sendable {
    /// The path from the root of systemd's hierarchy: `/system.slice/gpsd.service`; `/` for the root itself.
    public let path: String
    /// The system service or scope; nil for a process that a user started.
    public let systemUnit: String?
    /// The user whose slice contains the group.
    public let owner: uid_t?
    /// The unit of the owner's own service manager.
    public let userUnit: String?

    /// The control group of this path.
    public init(path: String) {
        self.path = path
        // The kernel's paths have no empty components.
        var rest = path.split(separator: "/").map(Self.unescaped)[...]
        let slice = Self.skipSlices(&rest)
        owner = slice.flatMap(Self.user)
        let unit = Self.nextUnit(&rest)
        guard let owner else {
            systemUnit = unit
            userUnit = nil
            return
        }
        systemUnit = nil
        guard unit == "user@\(owner).service" else {
            userUnit = nil
            return
        }
        _ = Self.skipSlices(&rest)
        userUnit = Self.nextUnit(&rest)
    }

    /// The id of the Flatpak app whose scope the user unit is: `app-flatpak-org.example.Map-4711.scope`.
    public var flatpakID: String? {
        let (prefix, suffix) = ("app-flatpak-", ".scope")
        guard let userUnit, userUnit.hasPrefix(prefix), userUnit.hasSuffix(suffix) else { return nil }
        let middle = userUnit.dropFirst(prefix.count).dropLast(suffix.count)
        guard let dash = middle.lastIndex(of: "-"), dash != middle.startIndex else { return nil }
        let instance = middle[middle.index(after: dash)...]
        guard !instance.isEmpty, instance.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Self.unescapedUnitName(middle[..<dash])
    }

    // Finding a process's group

    /// The control group of this process; nil if it is unknown.
    public static var own: ControlGroup? {
        do throws(SystemError) { return try of(processID: getpid()) } catch { return nil }
    }

    /// The control group of a process by its number, in the hierarchy that systemd uses: sd_pid_get_cgroup(3).
    static func of(processID: pid_t) throws(SystemError) -> ControlGroup {
        var text: UnsafeMutablePointer<CChar>?
        let status = sd_pid_get_cgroup(processID, &text)
        guard status >= 0, let text else { throw SystemError("query the control group", code: -status) }
        defer { free(text) }
        return ControlGroup(path: withoutRoot(String(cString: text)))
    }

    /// The control group of a process by its pidfd, without /proc and without a race; nil if the kernel (before Linux
    /// 6.13) or the daemon's privileges do not permit it.
    static func of(pidfd: Int32) -> ControlGroup? {
        guard let hierarchy else { return nil }
        let number = waymark_pidfd_cgroup(pidfd)
        guard number != 0 else { return nil }
        let opened = waymark_open_cgroup(hierarchy.descriptor.number, number)
        guard opened >= 0 else { return nil }
        let group = OwnedDescriptor(adopting: opened)
        guard let path = LinkTarget.read("/proc/self/fd/\(group.number)"), path.hasPrefix(hierarchy.path) else {
            return nil
        }
        let inside = path.dropFirst(hierarchy.path.utf8.count)
        guard inside.isEmpty || inside.hasPrefix("/"), !inside.contains("..") else { return nil }
        return ControlGroup(path: withoutRoot(inside.isEmpty ? "/" : String(inside)))
    }

    /// The hierarchy of cgroups version 2, at the mount points where libsystemd also looks.
    private struct Hierarchy: Sendable {
        let path: String
        let descriptor: SharedDescriptor
    }

    private static let hierarchy: Hierarchy? = {
        guard let path = versionTwo else { return nil }
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        return Hierarchy(path: path, descriptor: SharedDescriptor(OwnedDescriptor(adopting: opened)))
    }()

    /// The mount point of the hierarchy of version 2; nil if there is none.
    static let versionTwo: String? = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first { waymark_is_cgroup2($0) != 0 }

    /// The prefix of systemd's hierarchy in a container without a cgroup namespace of its own: the group of the first
    /// process, without the scope into which systemd moves itself.
    private static let root: String = {
        var text: UnsafeMutablePointer<CChar>?
        guard sd_pid_get_cgroup(1, &text) >= 0, let text else { return "" }
        defer { free(text) }
        let path = String(cString: text)
        for suffix in ["/init.scope", "/system.slice", "/"] where path.hasSuffix(suffix) {
            return String(path.dropLast(suffix.count))
        }
        return path
    }()

    private static func withoutRoot(_ path: String) -> String {
        guard !root.isEmpty, path.hasPrefix(root + "/") || path == root else { return path }
        let rest = path.dropFirst(root.count)
        return rest.isEmpty ? "/" : String(rest)
    }

    // Names

    /// The name of a folder, without the `_` that systemd puts before names that the kernel could take for a file of
    /// its own.
    private static func unescaped(_ component: Substring) -> Substring {
        component.hasPrefix("_") ? component.dropFirst() : component
    }

    /// Skips the slices and returns the last one.
    private static func skipSlices(_ rest: inout ArraySlice<Substring>) -> Substring? {
        var last: Substring?
        while let name = rest.first, name.hasSuffix(".slice"), isUnitName(name) { last = rest.removeFirst() }
        return last
    }

    private static func nextUnit(_ rest: inout ArraySlice<Substring>) -> String? {
        guard let name = rest.first, isUnitName(name) else { return nil }
        return String(rest.removeFirst())
    }

    private static func user(_ slice: Substring) -> uid_t? {
        guard slice.hasPrefix("user-") else { return nil }
        let digits = slice.dropFirst(5).dropLast(6)
        // Digits only, because UInt32 would also accept a sign.
        return digits.utf8.allSatisfy { (48...57).contains($0) } ? uid_t(digits) : nil
    }

    private static let kinds: Set<Substring> = ["service", "scope", "slice", "socket", "mount", "swap"]

    /// Whether it is a valid unit name, systemd.unit(5).
    private static func isUnitName(_ name: Substring) -> Bool {
        guard name.utf8.count <= 255, let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        guard kinds.contains(name[name.index(after: dot)...]) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "\\"),
                UInt8(ascii: "@"):
                true
            default: false
            }
        }
    }

    /// A part of a unit name with systemd's escapes (`\x2d`) decoded; nil if the result is not UTF-8.
    static func unescapedUnitName(_ name: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard rest.popFirst() == UInt8(ascii: "x"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), code >= 0x20
            else { return nil }
            bytes.append(code)
            rest.removeFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
