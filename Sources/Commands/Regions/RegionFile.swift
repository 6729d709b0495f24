import CommandLineKit
import GeoJSON
import Glibc
import Platform

/// A GeoJSON file that is read twice: once to check it, and once to send it. What cannot be read twice, such as a pipe, is
/// copied into a file without a name first.
final class RegionFile {
    /// The name of the file for a person.
    let name: String
    private let descriptor: OwnedDescriptor
    private let interruption: Interruption
    /// The greatest length in bytes.
    private static let mostBytes: Int64 = 4 << 30

    /// Opens a file; `-` is standard input.
    init(_ path: String, _ interruption: Interruption) throws(CommandFailure) {
        name = InputFile.name(path)
        self.interruption = interruption
        let source: OwnedDescriptor
        do throws(SystemError) { source = try InputFile.open(path) } catch {
            throw .failed("Unreadable", "Could not \(error).")
        }
        guard lseek(source.number, 0, SEEK_SET) != 0 else {
            descriptor = source
            return
        }
        descriptor = try Self.temporaryFile(for: name)
        try Self.fill(descriptor.number, from: source.number, name, interruption)
    }

    /// Calls back with each region in the order of the file, and with the share of the file that was read.
    func forEach(
        _ defaults: FeatureRegion.Defaults, named: String? = nil,
        _ body: (FeatureRegion, _ share: Double) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        do throws(SystemError) {
            let number = descriptor.number
            try retrying("read", subject: name) { lseek(number, 0, SEEK_SET) }
        } catch {
            throw CommandFailure(error)
        }
        var splitter = FeatureSplitter()
        let size = max(1, Double(Self.size(of: descriptor.number)))
        var count = 0
        while true {
            if let code = interruption.received() { throw .ended(code) }
            let chunk = try Self.read(descriptor.number, name)
            if chunk.isEmpty { break }
            count += chunk.count
            var number = splitter.nextNumber
            let features: [[UInt8]]
            do throws(GeoJSONError) { features = try splitter.append(chunk) } catch { throw failure(error) }
            for feature in features {
                for region in try regions(feature, number: number, isElement: true, named, defaults) {
                    try body(region, Double(count) / size)
                }
                number += 1
            }
        }
        let rest: [UInt8]?
        do throws(GeoJSONError) { rest = try splitter.finish() } catch { throw failure(error) }
        guard let rest else { return }
        for region in try regions(rest, number: 1, isElement: false, named, defaults) { try body(region, 1) }
    }

    private func regions(
        _ text: [UInt8], number: Int, isElement: Bool, _ name: String?, _ defaults: FeatureRegion.Defaults
    ) throws(CommandFailure) -> [FeatureRegion] {
        do throws(GeoJSONError) {
            return try GeoJSONFeature(text, number: isElement ? number : nil)
                .regions(number: number, named: name, defaults)
        } catch {
            throw failure(error)
        }
    }

    /// The failure for an error in the file.
    func failure(_ error: GeoJSONError) -> CommandFailure {
        .failed("InvalidFile", "Nothing was added, because of \(name): \(error).")
    }

    private static func size(of descriptor: Int32) -> Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    private static func read(_ descriptor: Int32, _ name: String) throws(CommandFailure) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 256 << 10)
        do throws(SystemError) {
            let count = try retrying("read", subject: name) { Glibc.read(descriptor, &chunk, chunk.count) }
            return count == chunk.count ? chunk : Array(chunk[..<count])
        } catch {
            throw .failed("Unreadable", "Could not \(error).")
        }
    }

    /// A file without a name.
    private static func temporaryFile(for name: String) throws(CommandFailure) -> OwnedDescriptor {
        do throws(SystemError) {
            let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
            var template = Array("\(folder.hasPrefix("/") ? folder : "/tmp")/waymark-regions-XXXXXX".utf8CString)
            let copy = try OwnedDescriptor("make a temporary file for", subject: name) {
                mkstemp(&template)
            }
            _ = unlink(template)
            return copy
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func fill(
        _ copy: Int32, from source: Int32, _ name: String, _ interruption: Interruption
    ) throws(CommandFailure) {
        var count: Int64 = 0
        while true {
            var requests = [source, interruption.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&requests, nfds_t(requests.count), -1)
            if let code = interruption.received() { throw .ended(code) }
            guard requests[0].revents != 0 else { continue }
            let chunk = try read(source, name)
            if chunk.isEmpty { return }
            count += Int64(chunk.count)
            guard count <= mostBytes else {
                throw .failed(
                    "InvalidFile", "\(name) is longer than \(mostBytes >> 30) GiB: divide it into several files.")
            }
            var rest = chunk[...]
            while !rest.isEmpty {
                do throws(SystemError) {
                    let written = try retrying("write a temporary file for", subject: name) {
                        rest.withUnsafeBytes { write(copy, $0.baseAddress, $0.count) }
                    }
                    rest = rest.dropFirst(written)
                } catch {
                    throw CommandFailure(error)
                }
            }
        }
    }
}
