import Platform
import TestSupport
import Testing

/// The programs for Core Location in the documentation, and the same programs for Waymark.
struct PortedProgramTests {
    private struct Pair {
        let original: [String]
        let ported: [String]
    }

    private func page() throws -> [Substring] {
        let file = try Products.file("Documentation/core-location.md")
        return String(decoding: try BoundedFile.bytes(of: file, limit: 1 << 20), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Each program for Core Location with the next one for Waymark.
    private func pairs() throws -> [Pair] {
        var blocks: [[String]] = []
        var isInBlock = false
        for line in try page() {
            if line.hasPrefix("```") {
                isInBlock.toggle()
                if isInBlock { blocks.append([]) }
            } else if isInBlock {
                let text = String(line.drop { $0 == " " })
                if !text.isEmpty { blocks[blocks.count - 1].append(text) }
            }
        }
        return blocks.indices.dropLast().compactMap { index in
            guard blocks[index].first == "import CoreLocation" else { return nil }
            return Pair(original: blocks[index].map(withoutPrefix), ported: blocks[index + 1])
        }
    }

    /// A line with the names that differ replaced, and without the prefix in all others.
    private func withoutPrefix(_ line: String) -> String {
        let renamed = [
            ("kCLLocationAccuracyHundredMeters", "LocationAccuracy.hundredMeters"),
            ("CLLocationCoordinate2D", "Coordinate"), ("CLMonitor", "LocationMonitor"), ("CLError", "LocationError"),
            ("CLLocation?", "Position?"), ("[CLLocation]", "[Position]"),
        ].reduce(line) { $0.replacing($1.0, with: $1.1) }
        return renamed.replacing("CL", with: "")
    }

    /// The lines in the table of differences: those of the first column, and those of the second.
    private func listed() throws -> (original: Set<String>, ported: Set<String>) {
        var sets: [Set<String>] = [[], []]
        let table = try page().drop { $0 != "## The lines that differ" }.prefix { !$0.hasPrefix("## What is") }
        for row in table where row.hasPrefix("| ") {
            for (index, cell) in row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().prefix(2)
                .enumerated()
            {
                let spans = cell.split(separator: "`", omittingEmptySubsequences: false)
                for position in stride(from: 1, to: spans.count, by: 2) { sets[index].insert(String(spans[position])) }
            }
        }
        return (sets[0], sets[1])
    }

    @Test func `the lines that differ are those that the page lists`() throws {
        let pairs = try pairs()
        #expect(pairs.count == 2)
        var original: Set<String> = []
        var ported: Set<String> = []
        for pair in pairs {
            #expect(pair.original.count >= 70 && pair.ported.count >= 70, "a real program")
            original.formUnion(Set(pair.original).subtracting(pair.ported))
            ported.formUnion(Set(pair.ported).subtracting(pair.original))
        }
        let listed = try listed()
        #expect(original == listed.original)
        #expect(ported == listed.ported)
    }

    @Test func `the programs of the page are the examples`() throws {
        for (pair, name) in zip(try pairs(), ["Odometer/Sources/odometer", "Commute/Sources/commute"]) {
            let file = try Products.file("Examples/Swift/\(name)/main.swift")
            let text = String(decoding: try BoundedFile.bytes(of: file, limit: 1 << 20), as: UTF8.self)
            let lines = text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
            #expect(lines == pair.ported)
        }
    }
}
