import Glibc
import Platform

/// The systemd drop-ins that restrict Debian's gpsd to Waymark's daemon as its only client.
///
/// gpsd 3.22 serves the sockets that it is passed: the first is its control socket, the others are for clients, of any
/// address family. In a network namespace and an IPC namespace of its own, and without the message bus, it has no other
/// connection to clients. Where chrony is installed, it shares the IPC namespace, to receive the time. Removing the
/// files restores the earlier state.
struct GPSDClosing {
    /// A file to write.
    struct File: Equatable {
        /// Its path.
        let path: String
        /// Its content.
        let text: String
    }

    /// A prefix of every path, for tests.
    var root = ""

    /// The socket of the closed gpsd.
    static let socketPath = "/run/waymark-gpsd/gpsd.sock"

    static let remark = "# Written by `waymark gpsd close`, removed by `waymark gpsd open`.\n"

    /// The folder of administrators' units.
    var units: String { root + "/etc/systemd/system" }

    /// All files, for this machine's present state.
    var files: [File] { doorFiles + (chronyUnit.map(timeFiles(for:)) ?? []) }

    /// The files that close gpsd.
    private var doorFiles: [File] {
        [
            File(
                path: "\(units)/gpsd.socket.d/waymark-closed.conf",
                text: Self.remark
                    + """
                    [Socket]
                    # The control socket has to be the first. Neither it nor the other may be reached by anybody else.
                    ListenStream=
                    ListenStream=/run/gpsd.sock
                    ListenStream=\(Self.socketPath)
                    SocketMode=0600
                    ExecStartPost=/bin/chown waymarkd \(Self.socketPath)

                    """),
            File(
                path: "\(units)/gpsd.service.d/waymark-closed.conf",
                text: Self.remark
                    + """
                    [Service]
                    # Nobody can connect over the network, attach the shared memory, or receive signals of the message bus.
                    PrivateNetwork=yes
                    PrivateIPC=yes
                    InaccessiblePaths=-/run/dbus

                    """),
            File(
                // It sorts before override.conf, which `systemctl edit` writes, so that an administrator's address
                // stays in effect.
                path: "\(units)/waymark-gpsd.service.d/closed.conf",
                text: Self.remark
                    + """
                    [Service]
                    # The user that may connect to the socket of the closed gpsd.
                    User=waymarkd
                    PrivateNetwork=yes
                    ExecStart=
                    ExecStart=/usr/lib/systemd/systemd-socket-proxyd --connections-max=16 --exit-idle-time=5s \(Self.socketPath)

                    """),
        ]
    }

    /// Whether the drop-ins that close gpsd exist.
    var isInPlace: Bool { Self.exist(doorFiles) }

    /// Whether all of these files exist.
    static func exist(_ files: [File]) -> Bool { files.allSatisfy { access($0.path, F_OK) == 0 } }

    /// Writes the files, all or none.
    func write() throws(SystemError) {
        do throws(SystemError) {
            for file in files {
                let folder = Self.folder(of: file.path)
                if mkdir(folder, 0o755) != 0, errno != EEXIST { throw SystemError("make", subject: folder) }
                let name = String(file.path.dropFirst(folder.utf8.count + 1))
                try DurableFile.replace(name, in: folder, with: Array(file.text.utf8), noun: "a drop-in")
                try retrying("open to readers", subject: file.path) { chmod(file.path, 0o644) }
            }
        } catch {
            try remove()
            throw error
        }
    }

    /// Every path of a possible file, including those for a chrony that is no longer installed.
    var paths: [String] {
        var paths = doorFiles.map(\.path)
        for unit in Self.chronyUnits {
            for file in timeFiles(for: unit) where !paths.contains(file.path) { paths.append(file.path) }
        }
        return paths
    }

    /// Removes the files, and their folders if these are then empty; returns whether there was a file.
    @discardableResult
    func remove() throws(SystemError) -> Bool {
        var hasRemoved = false
        for path in paths {
            if unlink(path) == 0 {
                hasRemoved = true
            } else if errno != ENOENT {
                throw SystemError("remove", subject: path)
            }
            let folder = Self.folder(of: path)
            // Fails where the administrator has other files there, which then remain.
            if folder != units { _ = rmdir(folder) }
        }
        return hasRemoved
    }

    /// The part of gpsd's settings that needs the network, which a closed gpsd does not have; nil without one.
    static func networkNeed(inDefaults text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let words = line.split { " \t\"'=".contains($0) }
            if let source = words.first(where: { $0.firstRange(of: "://") != nil }) { return String(source) }
            if line.hasPrefix("GPSD_OPTIONS") || line.hasPrefix("OPTIONS") {
                // Single letters may be joined: -nG.
                let option = words.dropFirst().first { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains("G") }
                if let option { return String(option) }
            }
        }
        return nil
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    }
}
