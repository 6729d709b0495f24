import Cryptography
import Location
import Platform
import Protection
import TestSupport
import Testing

@testable import Journal

/// A machine with a passphrase, for tests of sealed recordings.
struct SealedBench {
    let directory: TemporaryDirectory
    let file: KeyFile
    let keys: UnlockedKeys

    /// The keys of the machine, or of a user.
    init(_ directory: TemporaryDirectory, of user: UInt32? = nil) throws {
        self.directory = directory
        let machine = try #require(try SymmetricKey(copying: [UInt8](repeating: 5, count: 32)))
        let passphrase = UnlockSecret.passphrase(try Secret("correct horse"))
        (file, keys) = try KeyFile.make(
            for: passphrase, of: user, machine: machine, cost: .fresh(passes: 1, memory: 8_192))
    }

    /// The keys of a state.
    func keys(_ state: LockState, isEnding: Bool = false) -> AvailableKeys {
        AvailableKeys(
            machine: nil, file: isEnding ? file.ending() : file, keys: state == .neverUnlocked ? nil : keys,
            state: state)
    }
}

extension Bench {
    func setKeys(_ keys: AvailableKeys, of user: UInt32? = nil) async throws {
        try await withCheckedContinuation { continuation in
            journal.setKeys(keys, of: user) { continuation.resume(returning: $0) }
        }.get()
    }
}

extension TemporaryDirectory {
    /// All files, with their contents.
    func contents() throws -> [(name: String, bytes: [UInt8])] {
        try names().map { ($0, try bytes($0)) }
    }
}

/// Looks for positions in bytes, in every encoding that Waymark or a program that it uses has for coordinates.
struct CoordinateScanner {
    /// What is looked for: no other bytes of a file are likely to be the same.
    let needles: [[UInt8]]

    init(_ positions: [Position]) {
        needles = positions.flatMap { position -> [[UInt8]] in
            [position.coordinate.latitude, position.coordinate.longitude].flatMap(CoordinateEncodings.all)
                + [PositionPayloadTests.encoded(position)]
        }
    }

    /// How many of them the bytes contain.
    func count(in bytes: [UInt8]) -> Int { needles.count { Bytes.contains($0, in: bytes) } }
}
