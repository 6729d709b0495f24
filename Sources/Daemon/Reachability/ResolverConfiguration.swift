import Glibc
import NetworkPaths
import Platform

/// The name servers of this machine, with a notification when they or anything else that name lookups depend on may
/// have changed.
///
/// The files are read only when they change; nothing runs meanwhile. A mount over one of the files while the daemon
/// runs is not noticed, because the kernel does not announce it.
@DaemonActor
final class ResolverConfiguration {
    /// The files that configure name lookups.
    struct Files: Sendable {
        /// resolv.conf(5).
        var resolver = "/etc/resolv.conf"
        /// The servers behind systemd-resolved's stub address, in the form of resolv.conf(5).
        var systemd = "/run/systemd/resolve/resolv.conf"
        /// hosts(5).
        var hosts = "/etc/hosts"
        /// nsswitch.conf(5).
        var services = "/etc/nsswitch.conf"
    }

    /// What is compared to find out whether lookups may have changed.
    private struct Contents: Equatable {
        var nameServers: [HostAddress]
        var resolver: [UInt8]
        var services: [UInt8]
        var hosts: Stamp?
    }

    /// Identifies a version of a file whose content may be large, without reading it.
    private struct Stamp: Equatable {
        var device: UInt64, inode: UInt64
        var size: Int64
        var seconds: Int, nanoseconds: Int
    }

    private static let mostBytes = 65_536

    private let files: Files
    private let changes: Changes
    private var contents: Contents
    private var watcher: DirectoryWatcher?

    /// Reads the files and watches them. Reports `nameServersChanged` when lookups may have other results than before.
    init(_ files: Files = Files(), changes: Changes) {
        self.files = files
        self.changes = changes
        contents = Self.read(files)
        do throws(SystemError) {
            watcher = try DirectoryWatcher(
                files: [files.resolver, files.systemd, files.hosts, files.services]
            ) { [weak self] _ in self?.changed() }
            note(watcher?.problem)
            // Changes written before the watch began.
            contents = Self.read(files)
        } catch {
            note("\(error)")
        }
    }

    /// Why changes are not noticed, for a person; nil if they are.
    private(set) var problem: String?

    /// The name servers in the order of their use; empty if systemd-resolved has none.
    var nameServers: [HostAddress] { contents.nameServers }

    /// Ends watching.
    func stop() { watcher?.cancel() }

    private func note(_ reason: String?) {
        let text = reason.map { "changes of \(files.resolver) are not noticed: \($0)" }
        if let text, text != problem { Log.warning(text) }
        problem = text
    }

    private func changed() {
        note(watcher?.problem)
        let new = Self.read(files)
        guard new != contents else { return }
        contents = new
        changes.report(.nameServersChanged)
    }

    // Reading

    private static func read(_ files: Files) -> Contents {
        let resolver = bytes(of: files.resolver) ?? []
        return Contents(
            nameServers: nameServers(resolver, files), resolver: resolver, services: bytes(of: files.services) ?? [],
            hosts: stamp(of: files.hosts))
    }

    private static func nameServers(_ resolver: [UInt8], _ files: Files) -> [HostAddress] {
        let list = NameServerList(resolver)
        if list.hasStub, let behind = bytes(of: files.systemd) {
            return NameServerList(behind, most: NameServerList.most).servers
        }
        // Without a nameserver line, the resolver queries the local machine, resolv.conf(5).
        return list.servers.isEmpty ? [HostAddress("127.0.0.1")].compactMap { $0 } : list.servers
    }

    private static func bytes(of path: String) -> [UInt8]? {
        do throws(SystemError) {
            return try BoundedFile.bytes(of: path, limit: mostBytes)
        } catch {
            if error.code != ENOENT { Log.warning("\(error)") }
            return nil
        }
    }

    private static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
}
