import Glibc
import Platform

/// A folder that goes away with the test.
final class TemporaryFolder {
    let path: String

    init() throws(SystemError) {
        var template = "/tmp/waymark-configuration-XXXXXX".utf8CString
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard made else { throw SystemError("make a folder") }
        path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Removes what is there, a link and not what it leads to.
    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove(path + "/" + name) }
            }
            closedir(folder)
        }
        rmdir(path)
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws(SystemError) -> String {
        try write(name, bytes: Array(text.utf8))
    }

    @discardableResult
    func write(_ name: String, bytes: [UInt8]) throws(SystemError) -> String {
        let file = path + "/" + name
        let descriptor = try OwnedDescriptor("create", subject: file) {
            open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try retrying("write", subject: file) {
                rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
        return file
    }

    @discardableResult
    func makeFolder(_ name: String) throws(SystemError) -> String {
        let folder = path + "/" + name
        try retrying("make", subject: folder) { mkdir(folder, 0o755) }
        return folder
    }
}
