import Glibc
import Platform

/// The paths of the built programs and of the files that tests read.
public enum Products {
    /// A built product or a file of Tests/Fixtures is missing.
    public struct Missing: Error, CustomStringConvertible {
        /// The missing file, where it was expected, and the command that builds it.
        public let description: String
    }

    /// The path of a program of this package: in the directory that WAYMARK_PROGRAMS names, to test a release build, or
    /// beside the running test bundle in .build/TRIPLE/debug.
    public static func program(_ name: String) throws -> String {
        var looked: [String] = []
        if let directory = getenv("WAYMARK_PROGRAMS").map({ String(cString: $0) }) {
            looked.append(directory)
            if ExecutableSearch.isExecutable("\(directory)/\(name)") { return "\(directory)/\(name)" }
        }
        for start in [try executable()] + CommandLine.arguments.filter({ $0.hasPrefix("/") }) {
            var directory = start
            // The bundle may be a directory or two deep; the package root is where the search ends.
            for _ in 0..<4 {
                guard let slash = directory.lastIndex(of: "/"), slash != directory.startIndex else { break }
                directory = String(directory[..<slash])
                looked.append(directory)
                if ExecutableSearch.isExecutable("\(directory)/\(name)") { return "\(directory)/\(name)" }
            }
        }
        let places = looked.joined(separator: ", ")
        throw Missing(description: "\(name) is not in \(places): build it with swift build --product \(name)")
    }

    /// The path of a program of this package as the kernel reports it for a process, where the programs are links.
    public static func resolvedProgram(_ name: String) throws -> String {
        let path = try program(name)
        guard let resolved = realpath(path, nil) else { throw SystemError("resolve", subject: path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The path of a file of Tests/Fixtures.
    public static func fixture(_ name: String) throws -> String { try file("Tests/Fixtures/\(name)") }

    /// The path of a file of this package, by its path within.
    public static func file(_ name: String) throws -> String {
        // This file is Tests/Support/Products.swift.
        let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "/\(package)/\(name)"
        guard access(path, R_OK) == 0 else { throw Missing(description: "\(path) is missing") }
        return path
    }

    /// The path of the running program: /proc/self/exe.
    private static func executable() throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = try retrying("read", subject: "/proc/self/exe") {
            readlink("/proc/self/exe", &buffer, buffer.count)
        }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
