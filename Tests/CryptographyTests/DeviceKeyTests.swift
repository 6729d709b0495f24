import Cryptography
import Testing

struct DeviceKeyTests {
    private let counting = DeviceKey(bytes: Array(0..<32))

    @Test func `a digest depends only on the key and the numbers`() throws {
        let key = try #require(counting)
        let again = try #require(DeviceKey(bytes: Array(0..<32)))
        #expect(key.digest(1, -2, 3) == again.digest(1, -2, 3))
        #expect(key.digest(1, -2, 3) != key.digest(-2, 1, 3))
        #expect(key.digest(1, -2, 3) != (try DeviceKey()).digest(1, -2, 3))
    }

    @Test func `a digest is BLAKE2b as in Python's hashlib`() throws {
        // hashlib.blake2b(struct.pack("<3i", 1, -2, 3), digest_size=16, key=bytes(range(32)), person=b"waymark reduced ")
        let key = try #require(counting)
        #expect(key.digest(1, -2, 3) == (0xda2d7f9e3a596dbe, 0xa78fe26cfe037c4e))
        #expect(key.identifier == 0xa787d5b7b9452f41)
    }

    @Test func `a key of another length is refused`() {
        #expect(DeviceKey(bytes: []) == nil)
        #expect(DeviceKey(bytes: Array(0..<31)) == nil)
        #expect(DeviceKey(bytes: Array(0..<33)) == nil)
    }

    @Test func `the description of a key reveals nothing`() throws {
        let key = try #require(counting)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "a device key")
        #expect(String(reflecting: key) == "a device key")
        #expect(!dumped.contains("31"))
    }
}
