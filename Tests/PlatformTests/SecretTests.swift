import Glibc
import Platform
import TestSupport
import Testing

@Suite struct SecretTests {
    @Test func `a secret is read from a file and lent`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("token", "s3cret\n")
        let secret = try Secret(reading: path)
        #expect(secret.withBytes { Array($0) } == Array("s3cret\n".utf8))
        #expect(secret.count == 7)
    }

    @Test func `a file that is too long is refused`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("token", String(repeating: "x", count: 101))
        #expect(throws: SystemError("read", code: EFBIG, subject: path)) { try Secret(reading: path, limit: 100) }
        #expect(try Secret(reading: path, limit: 101).count == 101)
        #expect(throws: SystemError.self) { try Secret(reading: directory.file("none")) }
    }

    @Test func `a secret does not say what it is`() throws {
        let secret = try Secret("s3cret")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains("s3cret"))
    }

    @Test func `a secret is in no core dump`() throws {
        let secret = try Secret("s3cret")
        let address = UInt(bitPattern: secret.borrowed.baseAddress)
        let maps = String(decoding: try BoundedFile.bytes(of: "/proc/self/smaps", limit: 64 << 20), as: UTF8.self)
        var isWithin = false
        var flags = ""
        for line in maps.split(separator: "\n") {
            let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            if range.count == 2 { isWithin = (range[0]..<range[1]).contains(address) }
            if isWithin, line.hasPrefix("VmFlags:") { flags = String(line) }
        }
        #expect(flags.contains(" dd"))
    }
}
