import Glibc
import Platform
import TestSupport

/// An installation by `packaging/install` below a folder, of stand-ins for the programs: the programs are not built here,
/// and the script runs some of them for their completions.
struct Installation {
    let run: CompletedProcess
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        for program in [
            "waymark", "waymarkd", "waymark-upload", "waymark-agent", "waymark-inspector", "waymark-resolver",
            "waymark-simulator", "waymark-upload-test-server", "waymark-waker", "waymark-hub",
            "waymark-sync",
        ] {
            let path = try folder.write("built/\(program)", "#!/bin/sh\nexit 0\n")
            try retrying("chmod", subject: path) { chmod(path, 0o755) }
        }
        _ = try folder.write("built/libwaymark.so.1", "")
        run = try CompletedProcess.run(
            "/usr/bin/env",
            [
                "DESTDIR=\(folder.file("root"))", "PREFIX=/usr", "BINARIES=\(folder.file("built"))",
                Products.file("packaging/install"), "install",
            ], seconds: 60)
    }

    /// The place of an installed file, such as usr/bin/waymark.
    func file(_ path: String) -> String { folder.file("root/\(path)") }
}
