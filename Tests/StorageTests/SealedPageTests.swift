import Cryptography
import JSONText
import Platform
import TestSupport
import Testing

@testable import Storage

/// Pages that a program has sealed which shares no code with this package: `make-vectors` in `Tests/Fixtures/protection`.
@Suite struct SealedPageTests {
    private struct Vector {
        let place: SealedPage.Place
        let number: UInt32
        let content: [UInt8]
        let sealed: [UInt8]
    }

    private let key: SymmetricKey
    private let vectors: [Vector]

    init() throws {
        let text = try BoundedFile.bytes(of: Products.fixture("protection/vectors.json"), limit: 1 << 20)
        let pages = try JSON.parse(text, maximumDepth: 8)["pages"]
        func bytes(_ json: JSON?) throws -> [UInt8] {
            try #require(json?.stringValue.flatMap { HexText.bytes(of: $0) })
        }
        let secret = try bytes(pages?["key"])
        key = try #require(try SymmetricKey(copying: secret))
        vectors = try #require(pages?["pages"]?.arrayValue).map { page in
            Vector(
                place: page["place"]?.stringValue == "L" ? .log : .database,
                number: UInt32(try #require(page["number"]?.integerValue)), content: try bytes(page["content"]),
                sealed: try bytes(page["sealed"]))
        }
    }

    /// The content of a page; nil if it is not opened.
    private func open(_ sealed: [UInt8], _ place: SealedPage.Place, _ number: UInt32) -> [UInt8]? {
        var page = [UInt8](repeating: 0xFF, count: SealedPage.size)
        let isOpen = sealed.withUnsafeBytes { sealed in
            page.withUnsafeMutableBytes { SealedPage(key, place).open(sealed, number: number, into: $0) }
        }
        return isOpen ? page : nil
    }

    private func seal(_ page: [UInt8], _ place: SealedPage.Place, _ number: UInt32) -> [UInt8]? {
        var sealed = [UInt8](repeating: 0, count: SealedPage.size)
        let isSealed = page.withUnsafeBytes { page in
            sealed.withUnsafeMutableBytes { SealedPage(key, place).seal(page, number: number, into: $0) }
        }
        return isSealed ? sealed : nil
    }

    @Test func `pages of another program are opened, and only in their place`() {
        #expect(vectors.count == 3)
        let free = [UInt8](repeating: 0, count: SealedPage.reserved)
        for vector in vectors {
            #expect(open(vector.sealed, vector.place, vector.number) == vector.content + free)
            #expect(open(vector.sealed, vector.place, vector.number + 1) == nil)
            #expect(open(vector.sealed, vector.place == .log ? .database : .log, vector.number) == nil)
        }
    }

    @Test func `a page is sealed anew each time, and opened again`() throws {
        let page = vectors[0].content + [UInt8](repeating: 0, count: SealedPage.reserved)
        let first = try #require(seal(page, .log, 9))
        let second = try #require(seal(page, .log, 9))
        #expect(first != second && open(first, .log, 9) == page && open(second, .log, 9) == page)
    }

    @Test func `a changed bit anywhere is found`() throws {
        let vector = vectors[1]
        for offset in Array(stride(from: 0, to: SealedPage.size, by: 13)) + [SealedPage.size - 1] {
            var changed = vector.sealed
            changed[offset] ^= 1 << UInt8(offset % 8)
            #expect(open(changed, vector.place, vector.number) == nil)
        }
    }

    @Test func `a page that uses the bytes of the seal is refused, and a page of zeros was never written`() {
        var page = vectors[0].content + [UInt8](repeating: 0, count: SealedPage.reserved)
        page[SealedPage.size - SealedPage.reserved] = 1
        #expect(seal(page, .database, 1) == nil)
        let zeros = [UInt8](repeating: 0, count: SealedPage.size)
        #expect(open(zeros, .database, 3) == zeros)
        #expect(open(zeros, .log, 3) == nil)
    }
}
