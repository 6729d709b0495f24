import Glibc
import Platform

/// The program of an `Exec=` key, as installed on this machine.
enum ProgramFile {
    /// Why no process could be identified by this path: the rest of a sentence. Nil without an objection, or if the
    /// program is not installed, as during a package's build.
    static func objection(to path: String) -> String? {
        guard let real = resolved(path) else { return nil }
        do throws(SystemError) {
            let file = try ExaminedFile(real)
            guard file.isRegular else { return "is no program: \(real) is not a regular file" }
            if let interpreter = interpreter(of: file) {
                return "is a script, which the kernel knows as \(interpreter). Use UserUnit= or Unit="
            }
        } catch {
            return nil
        }
        return real == path ? nil : "leads to \(real), and that is how the kernel knows it. Write Exec=\(real)"
    }

    /// The path without links, realpath(3); nil if there is no such file.
    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The interpreter of a script, from its first line: execve(2).
    private static func interpreter(of examined: borrowing ExaminedFile) -> String? {
        do throws(SystemError) {
            let file = try examined.open()
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = try retrying("read") { read(file.number, &bytes, bytes.count) }
            guard count > 2, bytes.starts(with: "#!".utf8) else { return nil }
            let line = bytes[2..<count].prefix { $0 != UInt8(ascii: "\n") }
            let name = line.split(separator: UInt8(ascii: " ")).first.map { String(decoding: $0, as: UTF8.self) }
            guard let name, name.hasPrefix("/") else { return "its interpreter" }
            return resolved(name) ?? name
        } catch {
            // A program that can be executed but not read is no script, because its interpreter could not read it.
            return nil
        }
    }
}
