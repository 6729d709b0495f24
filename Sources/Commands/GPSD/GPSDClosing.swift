import Glibc
import Platform

/// The drop-ins of systemd by which Debian's gpsd serves nobody but Waymark's daemon.
///
/// gpsd 3.22 serves whatever sockets it is handed: the first is its control socket, the others are for clients, of
/// whatever family. In a network namespace and an IPC namespace of its own, and without the message bus, it has no other
/// route to anybody. Where chrony is installed it is in the IPC namespace as well, to receive the time. Removing the files
/// restores what there was before.
struct GPSDClosing {
    /// A file that is written.
    struct File: Equatable {
        /// Where.
        let path: String
        /// What is in it.
        let text: String
    }

    /// Before every path: empty but in tests.
    var root = ""

    /// The socket of the closed gpsd.
    static let socketPath = "/run/waymark-gpsd/gpsd.sock"

    static let remark = "# Written by `waymark gpsd close`, removed by `waymark gpsd open`.\n"

    /// Where administrators have their units.
    var units: String { root + "/etc/systemd/system" }

    /// All of them, for this machine as it is now.
    var files: [File] { doorFiles + (chronyUnit.map(timeFiles(for:)) ?? []) }

    /// Those that close gpsd.
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
                // Before override.conf, which `systemctl edit` writes: the administrator's own address stays in effect.
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

    /// Whether the drop-ins that close gpsd are there.
    var isInPlace: Bool { Self.exist(doorFiles) }

    /// Whether all of these files are there.
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

    /// Every path that a file may have been written to, also those of a chrony that is no longer installed.
    var paths: [String] {
        var paths = doorFiles.map(\.path)
        for unit in Self.chronyUnits {
            for file in timeFiles(for: unit) where !paths.contains(file.path) { paths.append(file.path) }
        }
        return paths
    }

    /// Removes the files, and their folders where nothing else is in them; whether there was one.
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
            // Fails where the administrator has other files there, and that is right.
            if folder != units { _ = rmdir(folder) }
        }
        return hasRemoved
    }

    /// What in gpsd's settings needs the network, which a closed gpsd does not have; nil where nothing does.
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
