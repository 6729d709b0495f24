import Configuration
import Glibc
import JSONText
import Platform
import Varlink

/// The open access to gpsd's positions for a user without authorization.
struct GPSDDoors: Equatable {
    /// Whether an access is open.
    enum Access: String {
        case open, closed, unknown
    }

    /// TCP on this machine, port 2947.
    var network = Access.unknown
    /// The shared memory segment.
    var sharedMemory = Access.unknown
    /// The signals on the system's message bus.
    var bus = Access.unknown

    /// The open ones, in words.
    var open: [String] {
        [(network, "TCP port 2947"), (sharedMemory, "shared memory"), (bus, "the message bus")]
            .filter { $0.0 == .open }.map(\.1)
    }

    /// A warning where any user can read gpsd; nil without known open access.
    var warning: String? {
        guard !open.isEmpty else { return nil }
        return "Any user can read gpsd's positions without authorization (\(open.joined(separator: ", ")))."
    }

    /// Advice on closing it.
    static let advice = "Close it to everybody but Waymark: `sudo waymark gpsd close`."

    /// The object for programs.
    func json(isInPlace: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("isClosed", isInPlace)
            writer.member("network", network.rawValue)
            writer.member("sharedMemory", sharedMemory.rawValue)
            writer.member("messageBus", bus.rawValue)
            writer.member("readableByAnyUser", !open.isEmpty)
        }
        return writer.bytes
    }

    /// Tries each access. Root tries as the user nobody, another user as itself.
    static func probe() -> GPSDDoors {
        var doors = GPSDDoors()
        doors.network = asNobody { network() }
        doors.sharedMemory = sharedMemory(readTable())
        doors.bus = bus()
        return doors
    }

    /// Runs the body with the effective user nobody, which a rule of nftables sees as the connection's owner.
    private static func asNobody(_ body: () -> Access) -> Access {
        guard geteuid() == 0 else { return body() }
        let nobody: uid_t = 65_534
        guard seteuid(nobody) == 0 else { return .unknown }
        defer {
            let status = seteuid(0)
            precondition(status == 0, "cannot become root again")
        }
        return body()
    }

    private static func network() -> Access {
        switch GPSDProbe(address: .standard).query() {
        case .answers: .open
        case .refused, .unreachable, .stranger, .unconfigured: .closed
        }
    }

    private static func readTable() -> String? {
        do throws(SystemError) {
            return String(decoding: try BoundedFile.bytes(of: "/proc/sysvipc/shm", limit: 1 << 20), as: UTF8.self)
        } catch {
            return nil
        }
    }

    /// The key of the shared memory in which gpsd exports positions: `GPSD_SHM_KEY` of gpsd.h.
    static let sharedMemoryKey: key_t = 0x4750_5344

    /// gpsd's segment in the table of /proc/sysvipc/shm, proc(5): its key in decimal, its mode in octal.
    static func sharedMemory(_ table: String?) -> Access {
        guard let table else { return .unknown }
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count > 2, columns[0] == String(sharedMemoryKey), let mode = Int(columns[2], radix: 8) else {
                continue
            }
            return mode & 0o004 != 0 ? .open : .closed
        }
        return .closed
    }

    /// gpsd sends every position as a signal on the bus where it can connect to it, and every user receives signals.
    private static func bus() -> Access {
        guard access("/run/dbus/system_bus_socket", F_OK) == 0 else { return .closed }
        guard let program = ExecutableSearch.find("systemctl") else { return .unknown }
        do throws(SystemError) {
            let run = try CompletedProcess.run(
                program, ["show", "--property=ActiveState,InaccessiblePaths", "gpsd.service"], seconds: 3)
            return run.status.isSuccess ? bus(properties: run.output) : .unknown
        } catch {
            return .unknown
        }
    }

    /// From gpsd's service properties in the form of systemctl(1).
    static func bus(properties: String) -> Access {
        let lines = properties.split(separator: "\n")
        guard lines.contains("ActiveState=active") else { return .closed }
        let hidden = lines.first { $0.hasPrefix("InaccessiblePaths=") }?.dropFirst("InaccessiblePaths=".count) ?? ""
        return hidden.split(separator: " ").contains { $0 == "-/run/dbus" || $0 == "/run/dbus" } ? .closed : .open
    }
}
