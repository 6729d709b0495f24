import Glibc
import Platform
import Testing
import TestSupport

@Suite struct TemporaryDirectoryTests {
    @Test func `a temporary directory takes what it holds with it and leaves alone what it links to`() throws {
        let outside = try TemporaryDirectory()
        let retained = try outside.write("kept/file", "x")
        let path = try fill(linkingTo: outside.file("kept"))
        #expect(access(path, F_OK) != 0)
        #expect(access(retained, F_OK) == 0)
    }

    private func fill(linkingTo target: String) throws -> String {
        let directory = try TemporaryDirectory()
        try directory.write("a/b/c", "deep")
        #expect(symlink(target, directory.file("a/link")) == 0)
        #expect(access(directory.file("a/link/file"), F_OK) == 0)
        return directory.path
    }

    @Test func `a seed brings the same numbers back`() {
        var (first, second) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
        #expect((0..<100).allSatisfy { _ in first.next() == second.next() })
        // The first number of SplitMix64 from 0, as its author's reference gives it.
        var reference = SeededGenerator(seed: 0)
        #expect(reference.next() == 0xE220_A839_7B1D_CDAF)
    }
}
