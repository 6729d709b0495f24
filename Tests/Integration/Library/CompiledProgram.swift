import Platform
import TestSupport

/// A program in C that is compiled against the header and the library of this checkout.
struct CompiledProgram {
    /// It could not be compiled or linked.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Where it is; every user may run it.
    let path: String

    /// Compiles a file of this package to a name in a folder, with every warning an error.
    init(_ source: String, to path: String, compiler: String = "gcc", more: [String] = []) throws {
        let library = try Self.library()
        let folder = String(library.prefix(upTo: library.lastIndex(of: "/") ?? library.startIndex))
        let header = try Products.file("Sources/CWaymark")
        let run = try CompletedProcess.run(
            "/usr/bin/env",
            [
                compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-I", header, "-o", path,
                try Products.file(source),
            ] + more + ["-L", folder, "-lwaymark", "-lm", "-lpthread", "-Wl,-rpath,\(folder)"], seconds: 120)
        guard run.status.isSuccess else { throw Failure(description: "\(source): \(run.error)") }
        self.path = path
    }

    /// Runs it with a daemon until it ends.
    func run(_ arguments: [String] = [], socket: String) throws -> CompletedProcess {
        try CompletedProcess.run(
            path, arguments, environment: ["PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": socket], seconds: 60)
    }

    /// The path of libwaymark.so of the tests' build, which is linked when it is out of date.
    static func library() throws -> String {
        let run = try CompletedProcess.run(try Products.file("Scripts/link-library"), ["debug"], seconds: 120)
        guard run.status.isSuccess else { throw Failure(description: "libwaymark.so: \(run.error)") }
        return try Products.file(".build/debug/libwaymark.so")
    }
}
