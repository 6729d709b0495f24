import Glibc
import Journal
import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct CatalogTests {
    /// The catalog's text of one id.
    private struct Entry {
        var headers: [String: String] = [:]
        var text = ""
    }

    @Test func `the catalog explains every kind of event sent to the system's journal, and nothing else`() throws {
        let entries = try entries()
        let ids = EventKind.allCases.compactMap(\.messageID)
        #expect(Set(ids).count == ids.count)
        #expect(entries.map(\.id).sorted() == ids.sorted())
        for id in ids { #expect(id.count == 32 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase }) }
    }

    @Test func `every explanation has a unique subject, and a text`() throws {
        let entries = try entries()
        #expect(Set(entries.compactMap { $0.entry.headers["Subject"] }).count == entries.count)
        for (_, entry) in entries {
            #expect(entry.headers["Defined-By"] == "Waymark" && entry.headers["Documentation"] == "man:waymarkd(8)")
            #expect(entry.text.hasSuffix(".\n") && entry.text.count > 40)
        }
    }

    @Test func `an explanation names only fields that the event has`() throws {
        let page = try BoundedFile.bytes(of: Products.file("Documentation/storage.md"), limit: 1 << 20)
        let rows = String(decoding: page, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("| `") }
        for kind in EventKind.allCases where kind.messageID != nil {
            let details = rows.filter { $0.dropFirst(2).prefix { $0 != "|" }.contains("`\(kind.rawValue)`") }
            let known = Set(details.flatMap { Self.quoted($0) }.map(Event.fieldName) + ["WAYMARK_APP", "WAYMARK_UID"])
            let entry = try #require(entries().first { $0.id == kind.messageID }).entry
            let used = Set(entry.text.split(separator: "@").map(String.init).filter { $0.hasPrefix("WAYMARK_") })
            #expect(used.subtracting(known).isEmpty, "\(kind)")
        }
    }

    @Test(.enabled(if: ExecutableSearch.find("journalctl") != nil, "journalctl is not installed"))
    func `systemd reads the catalog`() throws {
        let journalctl = try #require(ExecutableSearch.find("journalctl"))
        let root = try TemporaryDirectory()
        for folder in ["usr", "usr/lib", "usr/lib/systemd", "usr/lib/systemd/catalog"] {
            #expect(mkdir("\(root.path)/\(folder)", 0o755) == 0)
        }
        let text = try BoundedFile.bytes(of: Products.file("systemd/waymark.catalog"), limit: 1 << 20)
        _ = try root.write("usr/lib/systemd/catalog/waymark.catalog", bytes: text)
        let update = try CompletedProcess.run(journalctl, ["--root=\(root.path)", "--update-catalog"])
        #expect(update.status == .exited(0) && update.error.isEmpty, "\(update.error)")
        let listed = try CompletedProcess.run(journalctl, ["--root=\(root.path)", "--list-catalog"])
        #expect(listed.output.split(separator: "\n").count == EventKind.allCases.compactMap(\.messageID).count)
        let started = try #require(EventKind.serviceStarted.messageID)
        #expect(listed.output.contains("\(started) Waymark: Waymark has started\n"))
    }

    @Test func `a line for the system's journal has its details as fields`() throws {
        let event = Event(
            .receiverConnected, app: "map", uid: 1_000,
            details: ["receiver": "/dev/ttyS0", "afterSeconds": .integer(3)])
        #expect(event.logMessage == "receiver connected: app=map uid=1000 receiver=/dev/ttyS0 afterSeconds=3")
        let id = try #require(EventKind.receiverConnected.messageID)
        #expect(
            event.logFields == [
                Log.Field("MESSAGE_ID", id), Log.Field("WAYMARK_EVENT", "receiverConnected"),
                Log.Field("WAYMARK_APP", "map"), Log.Field("WAYMARK_UID", "1000"),
                Log.Field("WAYMARK_RECEIVER", "/dev/ttyS0"), Log.Field("WAYMARK_AFTER_SECONDS", "3"),
            ])
    }

    /// The texts between backticks.
    private static func quoted(_ row: Substring) -> [String] {
        row.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }

    private func entries() throws -> [(id: String, entry: Entry)] {
        let bytes = try BoundedFile.bytes(of: Products.file("systemd/waymark.catalog"), limit: 1 << 20)
        var entries: [(id: String, entry: Entry)] = []
        var isBody = false
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("-- ") {
                entries.append((String(line.dropFirst(3)), Entry()))
                isBody = false
            } else if let last = entries.indices.last {
                if isBody {
                    if !line.isEmpty { entries[last].entry.text += line + "\n" }
                } else if line.isEmpty {
                    isBody = true
                } else {
                    let parts = line.split(separator: ": ", maxSplits: 1)
                    #expect(parts.count == 2)
                    entries[last].entry.headers[String(parts[0])] = parts.last.map(String.init)
                }
            }
        }
        return entries
    }
}
