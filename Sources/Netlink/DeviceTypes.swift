import Platform
import Reachability

/// The interface types that drivers report in sysfs(5): `DEVTYPE` of an interface's uevent.
struct DeviceTypes {
    /// ARPHRD_LOOPBACK.
    private static let loopback: UInt16 = 772

    /// The folder with one subfolder for each interface.
    var folder = "/sys/class/net"

    /// `wlan`, `wwan` …; nil if there is none, if the interface is classified otherwise, or if /sys shows another
    /// network namespace.
    func type(of link: Link) -> String? {
        // There may be hundreds of virtual interfaces, and their drivers are known already.
        guard link.virtualKind == nil, link.hardwareType != Self.loopback, isPlain(link.name) else { return nil }
        guard file("ifindex", of: link)?.split(separator: "\n").first == Substring(String(link.index)) else {
            return nil
        }
        for line in (file("uevent", of: link) ?? "").split(separator: "\n") where line.hasPrefix("DEVTYPE=") {
            return String(line.dropFirst("DEVTYPE=".count))
        }
        return nil
    }

    private func file(_ name: String, of link: Link) -> String? {
        do throws(SystemError) {
            return String(
                decoding: try BoundedFile.bytes(of: "\(folder)/\(link.name)/\(name)", limit: 4_096), as: UTF8.self)
        } catch {
            // There is no /sys, or the interface is not in it.
            return nil
        }
    }

    /// Whether a name cannot lead out of the folder.
    private func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.contains("/")
    }
}
