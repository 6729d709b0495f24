import Glibc
import Platform
import TestSupport

/// A manual page in the checkout: written by hand except for its parts between `.\" begin NAME` and `.\" end NAME`,
/// which are generated from the programs' help and settings.
struct ManualPage {
    let name: String
    let path: String
    let text: String

    init(_ name: String) throws {
        self.name = name
        path = try Products.file("Documentation/man/\(name)")
        text = String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
    }

    /// The page with these lines in one of its parts; nil where it has no such part.
    func replacing(_ part: String, with lines: [String]) -> String? {
        let begin = ".\\\" begin \(part)\n"
        let end = ".\\\" end \(part)\n"
        guard let start = text.firstRange(of: begin), let stop = text.firstRange(of: end),
            start.upperBound <= stop.lowerBound
        else { return nil }
        return String(text[..<start.upperBound]) + lines.map { $0 + "\n" }.joined() + String(text[stop.lowerBound...])
    }

    /// The lines of a section.
    func section(_ title: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: ".Sh \(title)") else { return [] }
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") })
    }

    /// Writes another text in its place.
    func write(_ new: String) throws {
        let bytes = Array(new.utf8)
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) }
        _ = try retrying("write", subject: path) { Glibc.write(file.number, bytes, bytes.count) }
    }
}
