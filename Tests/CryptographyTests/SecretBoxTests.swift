import Testing

@testable import Cryptography

@Suite struct SecretBoxTests {
    private let message = Array(#"{"_type":"location"}"#.utf8)

    @Test func `an encrypted message is decrypted with the same key, and each encryption differs`() throws {
        let box = try SecretBox(zeroPadding: Array("s3cr3t".utf8))
        let sealed = box.seal(message)
        #expect(box.open(sealed) == message)
        #expect(box.seal(message) != sealed)
        #expect(sealed.count == message.count + 40)
        #expect(try SecretBox(zeroPadding: Array("s3cr3t\0".utf8)).open(sealed) == message)
        #expect(try SecretBox(zeroPadding: Array("s3cr3u".utf8)).open(sealed) == nil)
    }

    @Test func `a changed or truncated message is not decrypted`() throws {
        let box = try SecretBox(zeroPadding: [1, 2, 3])
        let sealed = box.seal(message)
        for index in [0, 23, 24, 40, sealed.count - 1] {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(box.open(damaged) == nil)
        }
        for count in [0, 1, 39, sealed.count - 1] { #expect(box.open(Array(sealed[..<count])) == nil) }
        #expect(box.open(box.seal([])) == [])
    }

    @Test func `a key has 1 to 32 bytes, and its description reveals nothing`() throws {
        #expect(throws: SecretBox.Failure.keyIsEmpty) { try SecretBox(zeroPadding: []) }
        #expect(throws: SecretBox.Failure.keyIsTooLong) {
            try SecretBox(zeroPadding: [UInt8](repeating: 1, count: 33))
        }
        let box = try SecretBox(zeroPadding: Array("geheim".utf8))
        #expect("\(box)" == "a secret box")
        #expect(String(reflecting: box) == "a secret box")
        #expect(Mirror(reflecting: box).children.isEmpty)
    }
}
