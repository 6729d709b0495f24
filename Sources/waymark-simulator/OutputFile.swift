import Glibc

/// A file that is written from its beginning, or standard output.
struct OutputFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Opens the file and empties it; without a path, standard output. `open(2)`
    init(path: String?) throws(OutputError) {
        self.path = path ?? "standard output"
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw OutputError(operation: "open", path: path, code: errno) }
    }

    /// Appends all these bytes. `write(2)`
    func write(_ bytes: [UInt8]) throws(OutputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw OutputError(operation: "write", path: path, code: errno)
            }
        }
    }

    /// Closes the file; some file systems report a full disk only here. `close(2)`
    consuming func close() throws(OutputError) {
        let result = Glibc.close(descriptor)
        if result < 0, errno != EINTR { throw OutputError(operation: "write", path: path, code: errno) }
    }
}

/// A file that could not be written.
struct OutputError: Error, CustomStringConvertible {
    var operation: String
    var path: String
    var code: Int32

    var description: String { "cannot \(operation) \(path): \(String(cString: strerror(code)))" }
}
