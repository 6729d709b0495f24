import Glibc
import Platform
import TestSupport

/// A library in C that a test loads into a program before all others, ld.so(8).
public struct PreloadedLibrary {
    /// It could not be built.
    public struct NotBuilt: Error, CustomStringConvertible {
        /// The message of the compiler.
        public let description: String
    }

    /// The library itself.
    public let path: String

    /// Compiles a source of `Tests/PowerCut/Shim` into a directory, unless that was done before.
    public init(_ name: String, in directory: TemporaryDirectory) throws {
        path = directory.file("\(name).so")
        if access(path, R_OK) == 0 { return }
        guard let compiler = PowerCutShim.compiler else { throw NotBuilt(description: "there is no C compiler") }
        let source = try Products.file("Tests/PowerCut/Shim/\(name).c")
        let built = try CompletedProcess.run(
            compiler,
            ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", path, source, "-lpthread", "-ldl"],
            seconds: 60)
        guard built.status.isSuccess else { throw NotBuilt(description: built.error) }
    }

    /// One that derives keys from passphrases with the least cost, for tests that unlock hundreds of times.
    public static func cheapPassphrases(in directory: TemporaryDirectory) throws -> PreloadedLibrary {
        try PreloadedLibrary("cheap-passphrase", in: directory)
    }
}
