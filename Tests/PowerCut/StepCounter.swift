import Glibc
import Platform
import TestSupport

/// Counts the steps of a program under the shim: its operations that change what is on the disk, which are creating, writing,
/// truncating, synchronizing, renaming and removing. It can end the program before one of them.
///
/// The numbers are in a file that the program has mapped.
public struct StepCounter: Sendable {
    /// The file.
    public let path: String

    /// Counts nothing until `begin`.
    public init(in directory: TemporaryDirectory) throws(SystemError) {
        path = try directory.write("steps", bytes: [UInt8](repeating: 0, count: 24))
    }

    /// Counts from now on, from 1, and kills the program before the step of this number, which is not done; 0 for none.
    public func begin(stoppingBefore last: Int = 0) throws(SystemError) {
        try write([0])
        try write([UInt64(last), 0], at: 8)
        try write([1])
    }

    /// Counts nothing from now on.
    public func end() throws(SystemError) { try write([0]) }

    /// The steps so far.
    public var count: Int {
        get throws(SystemError) {
            let bytes = try BoundedFile.bytes(of: path, limit: 24)
            return bytes[16..<24].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    private func write(_ words: [UInt64], at offset: Int = 0) throws(SystemError) {
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_CLOEXEC) }
        try retrying("write", subject: path) {
            words.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(offset)) }
        }
    }
}
