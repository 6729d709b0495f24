import CLinux
import Glibc
import Platform

@testable import Journal

private func waitForByte(_ number: Int32) {
    var byte: UInt8 = 0
    _ = read(number, &byte, 1)
}

extension EventJournal {
    /// Calls back while so much is pending that the journal refuses every change, and returns when all of it is stored.
    @DaemonActor
    func whileOverloaded(_ body: () -> Void) async throws {
        var ends: [Int32] = [-1, -1]
        try retrying("pipe") { pipe2(&ends, O_CLOEXEC) }
        let reading = OwnedDescriptor(adopting: ends[0])
        let writing = OwnedDescriptor(adopting: ends[1])
        // The journal's thread waits for a byte before it commits.
        post { [number = reading.number] _ in waitForByte(number) }
        let filler = String(repeating: "x", count: JournalOptions.largestChangesBytes - 200)
        let result = await withCheckedContinuation { continuation in
            append([], changes: [.value("filler", filler)]) { continuation.resume(returning: $0) }
            body()
            var byte: UInt8 = 0
            _ = write(writing.number, &byte, 1)
        }
        try result.get()
    }
}
