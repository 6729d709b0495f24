import Glibc
import Platform

/// The two ends of a pipe.
final class Pipe: Sendable {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init() throws(SystemError) {
        var numbers: [Int32] = [-1, -1]
        try retrying("pipe") { pipe(&numbers) }
        reading = OwnedDescriptor(adopting: numbers[0])
        writing = OwnedDescriptor(adopting: numbers[1])
    }
}
