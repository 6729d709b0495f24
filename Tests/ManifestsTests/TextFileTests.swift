import Glibc
import Platform
import TestSupport
import Testing

@testable import Authorization
@testable import Manifests

/// Texts of users' manifests, in a file until a person is asked.
@Suite struct TextFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func stored(_ text: LocalizedText, in file: TextFile, keepsText: Bool = false) throws -> LocalizedText {
        let packed = text.packed
        let storage = try file.store([0, 1, 2] + packed)
        return LocalizedText(text, stored: StoredText(text, packed: packed, in: storage, at: 3), keepsText: keepsText)
    }

    private let text = LocalizedText("Shows the map.", translations: ["de": "Zeigt die Karte.", "ko": "지도를 보여 줍니다."])

    @Test(arguments: [true, false]) func `what is stored is read as it was`(keepsText: Bool) throws {
        let file = TextFile(directory: directory.path)
        let stored = try stored(text, in: file, keepsText: keepsText)
        #expect(stored.text == text.text && stored.translations == text.translations && !stored.isEmpty)
        #expect(stored.inMemory == text && stored == text && text == stored)
        #expect(stored.ending(with: " (7)").text == "Shows the map. (7)")
        #expect(stored.ending(with: " (7)").translations["de"] == "Zeigt die Karte. (7)")
        #expect(try self.stored(LocalizedText(" \t"), in: file).isEmpty)
        // In the directory there is nothing to find.
        #expect(try CompletedProcess.run("/bin/ls", ["-A", directory.path]).output.isEmpty)
    }

    @Test func `texts are the same wherever they are, and another translation is another text`() throws {
        let file = TextFile(directory: directory.path)
        let (one, other) = (try stored(text, in: file), try stored(text, in: file))
        #expect(one == other)
        #expect(try stored(LocalizedText("Shows the map.", translations: ["de": "Zeigt sie."]), in: file) != one)
        #expect(try stored(LocalizedText("Shows it.", translations: text.translations), in: file) != one)
        #expect(one.ending(with: " (7)") != one)
    }

    @Test func `released ranges are reused, and truncated at the end`() throws {
        let file = TextFile(directory: directory.path)
        let long = [UInt8](repeating: 7, count: 100_000)
        var places: [any StoredBytes] = try (0..<10).map { _ in try file.store(long) }
        let full = file.size
        #expect(full >= 1_000_000)
        places.remove(at: 3)
        #expect(file.size == full)
        let before = try file.blocks
        places.remove(at: 4)
        #expect(try file.blocks < before, "a hole takes no room")
        places.append(try file.store(long))
        places.append(try file.store(long))
        #expect(file.size == full, "the holes were used")
        places.append(try file.store(Array(long.prefix(10))))
        #expect(places.last?.bytes(at: 0, count: 10) == Array(long.prefix(10)))
        #expect(places.last?.bytes(at: 4_090, count: 10) == nil, "beyond its end there may be somebody else's text")
        #expect(places.allSatisfy { $0.bytes(at: 9, count: 1) == [7] })
        places = []
        #expect(file.size == 0)
        #expect(try file.blocks == 0)
    }

    /// As a disk that is full: nothing can be written.
    private func unwritable() throws -> TextFile {
        let path = try directory.write("file", "")
        return TextFile(adopting: try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) })
    }

    @Test(arguments: [0, 1, 2]) func `without room in the file a little stays in memory, and the rest is refused`(
        kind: Int
    ) throws {
        let file =
            switch kind {
            case 0: try unwritable()
            case 1: TextFile(directory: directory.file("missing"))
            default: TextFile(directory: nil)
            }
        let stored = try stored(text, in: file)
        #expect(stored.inMemory == text)
        var places: [any StoredBytes] = []
        #expect(throws: SystemError.self) {
            for _ in 0..<100 { places.append(try file.store([UInt8](repeating: 7, count: 100_000))) }
        }
        #expect(places.count == 10)
        places.removeLast()
        #expect(throws: Never.self) { try file.store([UInt8](repeating: 7, count: 100_000)) }
    }

    @Test func `a text that cannot be read as it was stored is none`() throws {
        let path = try directory.write("file", "")
        let file = TextFile(adopting: try OwnedDescriptor("open", subject: path) { open(path, O_RDWR | O_CLOEXEC) })
        let stored = try stored(text, in: file)
        #expect(stored.inMemory == text)
        try directory.write("file", String(repeating: "x", count: 200))
        #expect(stored.inMemory == nil && stored.text.isEmpty && stored.translations.isEmpty)
        #expect(!stored.isEmpty, "that it said something is known")
        try directory.write("file", "")
        #expect(stored.inMemory == nil)
    }

    // A folder

    private func contents() throws -> ManifestFolder.Contents {
        let user = getuid() == 0 ? 1000 : getuid()
        let folder = ManifestFolder(path: directory.file("apps"), owner: .user(user))
        let bytes = Array(
            """
            [App]
            Name=Map
            Name[de]=Karte
            Exec=/usr/bin/map
            WhenInUseUsageDescription=Shows the map.
            WhenInUseUsageDescription[de]=Zeigt die Karte.
            [TemporaryUsage]
            Turns=Says when to turn.
            [Alerts]
            New=New: %@
            New[de]=Neu: %@

            """.utf8)
        var contents = ManifestFolder.Contents(of: folder)
        contents.append(.file("map.app", bytes))
        contents.append(.file("broken.app", Array("[App]\nName=\n".utf8)))
        return contents
    }

    @Test func `a folder's texts move into the file, and its manifests say what they said`() throws {
        let file = TextFile(directory: directory.path)
        let before = try contents()
        var (after, again) = (before, before)
        after.moveTexts(to: file)
        again.moveTexts(to: file)
        #expect(file.size > 0)
        #expect(after == before && after == again)
        do {
            let manifest = try #require(after.manifests["map"] ?? nil)
            #expect(manifest.name.text == "Map" && manifest.name.translations == ["de": "Karte"])
            #expect(manifest.whenInUseUsage?.translations == ["de": "Zeigt die Karte."])
            #expect(manifest.temporaryUsages["Turns"]?.text == "Says when to turn.")
            #expect(manifest.alertTexts["New"]?.text == "New: %@")
            #expect(manifest.alertTexts["New"]?.translations == ["de": "Neu: %@"])
        }
        #expect(after.manifests["broken"] == .some(nil), "it hides others as before")
        #expect(after.hasTexts)
        after = before
        again = before
        #expect(file.size == 0, "nobody has them any more")
    }

    @Test func `where a folder's texts cannot be stored its apps are known, and cannot ask`() throws {
        let file = TextFile(directory: nil)
        let taken = try file.store([UInt8](repeating: 7, count: TextFile.mostInMemory))
        var contents = try contents()
        contents.moveTexts(to: file)
        let manifest = try #require(contents.manifests["map"] ?? nil)
        #expect(manifest.identity == [.exec: "/usr/bin/map"])
        #expect(manifest.name.text == "Map" && manifest.name.inMemory == nil)
        #expect(manifest.whenInUseUsage?.isEmpty == false, "what was allowed because of it goes on")
        #expect(manifest.whenInUseUsage?.inMemory == nil && manifest.temporaryUsages["Turns"]?.inMemory == nil)
        #expect(manifest.alertTexts["New"]?.inMemory == nil)
        var later = try self.contents()
        later.moveTexts(to: TextFile(directory: directory.path))
        #expect(later != contents, "that there is room again is a change")
        #expect(contents.problems.contains { $0.description.contains("cannot ask for now") })
        #expect(!contents.hasTexts)
        withExtendedLifetime(taken) {}
    }
}

extension TextFile {
    /// How many blocks of 512 bytes it takes on the disk.
    fileprivate var blocks: Int {
        get throws {
            var status = stat()
            try #require(fstat(try #require(number), &status) == 0)
            return Int(status.st_blocks)
        }
    }
}
