import Glibc
import Manifests
import Platform

/// A query of the daemon to `waymark-inspector`: one message each.
public enum InspectorRequest: Equatable, Sendable {
    /// The program that a process runs.
    case program(processID: Int32)
    /// The manifests of a user in a folder.
    case manifests(userID: UInt32, folder: String)
    /// The creation time of a user's home.
    case home(userID: UInt32, path: String)

    /// The longest query, in bytes: a path and its prefix.
    public static let mostBytes = Int(PATH_MAX) + 32

    /// The bytes to send.
    public var bytes: [UInt8] {
        switch self {
        case .program(let processID): Array("p\(processID)".utf8)
        case .manifests(let userID, let folder): Array("m\(userID) \(folder)".utf8)
        case .home(let userID, let path): Array("h\(userID) \(path)".utf8)
        }
    }

    /// Reads the bytes received; nil where they are no query.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else { return nil }
        let rest = text.dropFirst()
        switch text.first {
        case "p":
            guard let number = Int32(rest), number > 0 else { return nil }
            self = .program(processID: number)
        case "m", "h":
            let parts = rest.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let userID = UInt32(parts[0]), parts[1].hasPrefix("/") else { return nil }
            let path = String(parts[1])
            self = text.first == "h" ? .home(userID: userID, path: path) : .manifests(userID: userID, folder: path)
        default: return nil
        }
    }
}

/// A reply of `waymark-inspector`. A query for a program has one reply; one for a home has its age, where that is
/// known, and an end; one for manifests has the age of the home, a watch, the files found, and an end.
public enum InspectorAnswer: Equatable, Sendable {
    /// The program.
    case program(ProgramEvidence)
    /// The creation time of the user's home, in microseconds since 1970: see `DirectoryBirth`.
    case home(bornMicroseconds: Int64)
    /// The folder is watched by the inotify(7) descriptor that is attached: the entries of interest, by watch.
    case watched([Int32: WatchedPaths.Interest])
    /// The folder is not watched, for this reason.
    case unwatched(String)
    /// Something in the folder.
    case found(ManifestFolder.Finding)
    /// There is no more.
    case end

    /// The longest reply, in bytes: a whole manifest with its name.
    public static let mostBytes = ManifestReading.maximumBytes + 4_096

    /// The bytes to send.
    public var bytes: [UInt8] {
        switch self {
        case .program(.file(let path)): Array("f\(path)".utf8)
        case .program(.unknown(let why)): Array("u\(why)".utf8)
        case .home(let birth): Array("b\(birth)".utf8)
        case .watched(let interests):
            Array(
                ("w"
                    + interests.sorted { $0.key < $1.key }.map { number, interest in
                        switch interest {
                        case .everything: "\(number)"
                        case .names(let names): (["\(number)", ""] + names.sorted()).joined(separator: "/")
                        }
                    }.joined(separator: "\0")).utf8)
        case .unwatched(let why): Array("n\(why)".utf8)
        case .found(.file(let name, let bytes)): Array("c\(name)/".utf8) + bytes
        case .found(.wrongFile(let name, let why)): Array("x\(name)/\(why)".utf8)
        case .found(.wrongFolder(let why)): Array("d\(why)".utf8)
        case .found(.noFolder): Array("e".utf8)
        case .end: Array(".".utf8)
        }
    }

    /// Reads the bytes received; nil where they are no reply.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard let kind = bytes.first else { return nil }
        let rest = bytes.dropFirst()
        if kind == UInt8(ascii: "c") {
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
                let name = String(validating: rest[..<slash], as: UTF8.self)
            else { return nil }
            self = .found(.file(name, Array(rest[(slash + 1)...])))
            return
        }
        guard let text = String(validating: rest, as: UTF8.self) else { return nil }
        switch kind {
        case UInt8(ascii: "f"): self = .program(.file(text))
        case UInt8(ascii: "u"): self = .program(.unknown(text))
        case UInt8(ascii: "b"):
            guard let birth = Int64(text), birth > 0 else { return nil }
            self = .home(bornMicroseconds: birth)
        case UInt8(ascii: "w"):
            guard let interests = Self.interests(text) else { return nil }
            self = .watched(interests)
        case UInt8(ascii: "n"): self = .unwatched(text)
        case UInt8(ascii: "x"):
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            self = .found(.wrongFile(String(parts[0]), String(parts[1])))
        case UInt8(ascii: "d"): self = .found(.wrongFolder(text))
        case UInt8(ascii: "e"): self = .found(.noFolder)
        case UInt8(ascii: "."): self = .end
        default: return nil
        }
    }

    /// A watch's number is followed by the names of interest, each after a slash, because no name contains one.
    private static func interests(_ text: String) -> [Int32: WatchedPaths.Interest]? {
        var interests: [Int32: WatchedPaths.Interest] = [:]
        for part in text.split(separator: "\0") {
            let words = part.split(separator: "/", omittingEmptySubsequences: false)
            guard let number = words.first.flatMap({ Int32($0) }) else { return nil }
            interests[number] =
                words.count == 1 ? .everything : .names(Set(words.dropFirst(2).map(String.init)))
        }
        return interests
    }
}
