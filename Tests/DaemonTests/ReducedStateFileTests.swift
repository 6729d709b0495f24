import Location
import TestSupport
import Testing
import Tracking

@testable import Daemon

struct ReducedStateFileTests {
    private func state(
        band: Int32 = 2_801, column: Int32 = 1_234, tick: Int64 = 1_496_052, isLate: Bool = true,
        isSimulated: Bool = false, key: UInt64 = 0x0123_4567_89ab_cdef
    ) throws -> ReducedAccuracy.State {
        ReducedAccuracy.State(
            latest: ReducedFix(
                cell: try #require(ReducedCell(band: band, column: column)), tick: ReducedTick(number: tick),
                isSimulated: isSimulated), isLate: isLate, keyIdentifier: key)
    }

    @Test func `a state is read as it was written`() throws {
        let directory = try TemporaryDirectory()
        let file = ReducedStateFile(stateDirectory: directory.path)
        #expect(try file.load() == .none)
        for state in [
            try state(), try state(isLate: false, isSimulated: true),
            try state(band: 0, column: 0, tick: -1, key: .max),
            try state(band: 2_001, column: 8_005, tick: -7_000_000_000, key: 0),
            try state(tick: 7_000_000_000),
        ] {
            try file.save(state)
            #expect(try file.load() == .state(state))
        }
    }

    @Test func `one flipped bit anywhere is detected`() throws {
        let good = ReducedStateFile.bytes(of: try state())
        #expect(good.count == 49)
        for index in good.indices {
            for bit in 0..<8 {
                var damaged = good
                damaged[index] ^= 1 << UInt8(bit)
                #expect(ReducedStateFile.content(of: damaged) == ReducedStateFile.damaged, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func `the file has the shown cell and the key's identifier, and nothing else`() throws {
        let bytes = ReducedStateFile.bytes(of: try state())
        #expect(Array(bytes[0..<8]) == Array("WMRED 1\n".utf8))
        #expect(Array(bytes[8..<12]) == [0xf1, 0x0a, 0, 0])
        #expect(Array(bytes[12..<16]) == [0xd2, 0x04, 0, 0])
        #expect(Array(bytes[16..<24]) == [0xf4, 0xd3, 0x16, 0, 0, 0, 0, 0])
        #expect(Array(bytes[24..<32]) == [0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01])
        #expect(bytes[32] == 1)
    }
}
