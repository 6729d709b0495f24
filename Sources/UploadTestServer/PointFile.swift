import Glibc
import JSONText
import Location
import Platform

/// A file to which every point is appended once, one JSON object per line; appended points survive any failure.
///
/// | member | value |
/// | --- | --- |
/// | `id` | `<recording>/<number>`, if there is one |
/// | `received` | s since 1970-01-01T00:00:00Z |
/// | `endpoint` | the name of the format |
/// | `time`, `latitude`, `longitude`, `accuracy` | the values that every format has |
/// | `sent` | the point in its format |
final class PointFile {
    private let descriptor: OwnedDescriptor
    private let path: String
    /// The end of the last complete line.
    private var end: Int

    /// Opens a file and locks it, creates it if it is missing (0600: it contains positions), removes an incomplete last
    /// line, and reports the ids of the others.
    init(path: String, onID: (PointID) -> Void) throws(SystemError) {
        descriptor = try OwnedDescriptor("open", subject: path) { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        self.path = path
        end = 0
        try retrying("lock", subject: path) { flock(descriptor.number, LOCK_EX | LOCK_NB) }
        try readLines(onID)
        try retrying("cut", subject: path) { ftruncate(descriptor.number, end) }
        try retrying("synchronize", subject: path) { fsync(descriptor.number) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try DurableFile.synchronize(directory: folder)
    }

    deinit {
        // Closing the descriptor alone would leave the lock with a child process that was just forked and has not
        // called exec yet.
        flock(descriptor.number, LOCK_UN)
    }

    private func readLines(_ onID: (PointID) -> Void) throws(SystemError) {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var position = 0
        while true {
            let count = try retrying("read", subject: path) {
                pread(descriptor.number, &buffer, buffer.count, position)
            }
            if count == 0 { return }
            for byte in buffer[..<count] {
                position += 1
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                end = position
                if let id = Self.id(in: line) { onID(id) }
                line.removeAll(keepingCapacity: true)
            }
        }
    }

    /// The id at the beginning of a line; the members have a fixed order.
    private static func id(in line: [UInt8]) -> PointID? {
        let lead = Array(#"{"id":""#.utf8)
        guard line.starts(with: lead) else { return nil }
        return PointID(String(decoding: line[lead.count...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
    }

    /// Appends points, durable when this returns. If it throws, none of them is stored.
    func add(_ points: [ReceivedPoint], from endpoint: Endpoint, at now: UTCTime) throws(SystemError) {
        if points.isEmpty { return }
        var writer = JSONWriter()
        var bytes: [UInt8] = []
        for point in points {
            writer = JSONWriter()
            point.write(to: &writer, endpoint: endpoint, receivedAt: now)
            bytes += writer.bytes
            bytes.append(UInt8(ascii: "\n"))
        }
        do throws(SystemError) {
            var written = 0
            while written < bytes.count {
                written += try retrying("write", subject: path) {
                    bytes[written...].withUnsafeBytes {
                        pwrite(descriptor.number, $0.baseAddress, $0.count, end + written)
                    }
                }
            }
            try retrying("synchronize", subject: path) { fdatasync(descriptor.number) }
        } catch {
            // An incomplete write is removed here, or else overwritten by the next one.
            _ = ftruncate(descriptor.number, end)
            throw error
        }
        end += bytes.count
    }
}

extension ReceivedPoint {
    func write(to writer: inout JSONWriter, endpoint: Endpoint, receivedAt now: UTCTime?) {
        writer.object { writer in
            writer.member("id", id?.description)
            writer.member("received", now?.secondsSinceEpoch)
            writer.member("endpoint", endpoint.name)
            writer.member("time", time)
            writer.member("latitude", latitude)
            writer.member("longitude", longitude)
            writer.member("accuracy", accuracy)
            writer.member("sent", sent)
        }
    }
}
