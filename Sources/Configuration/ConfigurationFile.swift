import Glibc
import Platform

/// The bytes of one configuration file, checked to be text.
struct ConfigurationFile {
    /// The limit of a file's size: 1 MiB.
    static let maximumBytes = 1 << 20

    let path: String
    let bytes: [UInt8]
    /// The reason why an existing file was not read.
    private let refusal: String?

    /// Reads a file whole; nil where there is none.
    init?(reading path: String) throws(ConfigurationProblem) {
        self.path = path
        do {
            // Non-blocking: opening a FIFO would otherwise block the start of the daemon.
            let file = try OwnedDescriptor("open") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            var status = stat()
            try retrying("examine") { fstat(file.number, &status) }
            refusal = Self.refusal(of: status)
            bytes = if refusal == nil { try Self.contents(of: file) } else { [] }
        } catch {
            if error.code == ENOENT { return nil }
            let remedy = error.code == EACCES ? ". Let the daemon's user read it, and enter the folders above it" : ""
            throw ConfigurationProblem(
                file: path, "cannot \(error.operation) it: \(SystemError.text(error.code))\(remedy)")
        }
    }

    /// Bytes from memory; the name is for messages.
    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        refusal = nil
    }

    /// The reason why it is not text in UTF-8, if so.
    var problem: ConfigurationProblem? {
        if let refusal { return ConfigurationProblem(file: path, refusal) }
        guard bytes.count <= Self.maximumBytes else { return ConfigurationProblem(file: path, Self.tooLarge) }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return ConfigurationProblem(file: path, "is UTF-16. Save it as UTF-8")
        }
        if let index = bytes.firstIndex(of: 0) {
            return ConfigurationProblem(
                file: path, line: line(of: index), "there is a NUL byte: the file is damaged, or not a text file")
        }
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        let bad = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .firstIndex { String(validating: $0, as: UTF8.self) == nil }
        return ConfigurationProblem(
            file: path, line: bad.map { $0 + 1 }, "there is a byte that is not UTF-8. Save the file as UTF-8")
    }

    private static let tooLarge = "is larger than 1 MiB, which no configuration is. Name another file"

    private func line(of index: Int) -> Int {
        bytes[..<index].reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    }

    private static func refusal(of status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: status.st_size > maximumBytes ? tooLarge : nil
        case S_IFDIR: "is a folder. Name a file in it"
        // systemd masks a file by a link to /dev/null, which counts as an empty file.
        case S_IFCHR where status.st_rdev == nullDevice: nil
        default: "is not a regular file"
        }
    }

    /// Major 1, minor 3, null(4).
    private static let nullDevice: dev_t = 1 << 8 | 3

    private static func contents(of file: borrowing OwnedDescriptor) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        // The file may grow while it is read; one byte beyond the limit proves that it is too large.
        while bytes.count <= maximumBytes {
            let count = try retrying("read") { Glibc.read(file.number, &chunk, chunk.count) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
