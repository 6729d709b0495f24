import CommandLineKit
import Interfaces
import Platform
import SyncInterface

/// The command line of `waymark-sync`.
struct SyncOptions: Sendable {
    /// The folder with the copy.
    var folder: String
    /// The socket to listen at, unless the service manager passes one.
    var socket: String
    /// A file with the authorities that are trusted instead of the system's, in PEM; empty for the system's.
    var authorityFile: String
    /// The most bytes of downloaded assets that the copy stores.
    var assetCacheBytes: Int64
    /// The socket of the daemon, which says whether there is a network, and wakes apps.
    var daemon: String

    static let command = Command(
        "waymark-sync", "the records of one's apps, the same on all of one's machines",
        discussion: [
            "Stores the copy of an account's records, exchanges changes with the hub, and serves apps at a socket. It is"
                + " started by the service manager; `waymark join` joins an account, and `waymark sync` shows what happens.",
            "For a person it runs in the person's own service manager. The service of the system has the account of the"
                + " machine, for apps that are services of the system.",
        ],
        options: [
            Option(
                "folder", Value("DIRECTORY", .directory),
                "the folder with the copy (default /var/lib/waymark-sync for root, ~/.local/share/waymark-sync for others)"
            ),
            Option(
                "listen", Value("PATH", .file),
                "the socket for apps (default WAYMARK_SYNC_SOCKET, then /run/waymark-sync/sync.sock for root,"
                    + " waymark/sync.sock below XDG_RUNTIME_DIR for others)"),
            Option(
                "ca-file", Value("FILE", .file), "a PEM file with the authorities to trust instead of the system's"),
            Option(
                "asset-cache", Value("MIB", .integer(0...1_048_576)),
                "the most mebibytes of files of records (assets) that the copy stores although the hub has them (default 1024)"
            ),
            Option(
                "daemon", Value("PATH", .file),
                "the socket of waymarkd, which says whether there is a network and wakes apps (default WAYMARK_SOCKET, then"
                    + " /run/waymark/waymark.sock)"),
        ],
        examples: [
            Command.Example("waymark-sync --folder /tmp/sync --listen /tmp/sync.sock", "Try it in a terminal.")
        ])

    init(_ invocation: Invocation) {
        folder = invocation.text("folder") ?? OwnFolder.ofProgram("waymark-sync")
        socket = invocation.text("listen") ?? SyncInterface.defaultSocket
        authorityFile = invocation.text("ca-file") ?? ""
        assetCacheBytes = invocation.integer("asset-cache").map { Int64($0) << 20 } ?? AssetLimits().cachedBytes
        daemon =
            invocation.text("daemon") ?? ProcessEnvironment.value(WaymarkSocket.environmentVariable)
            ?? WaymarkSocket.defaultPath
    }
}
