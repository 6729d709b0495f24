import Configuration
import Upload

/// Where one recording is sent, as its file says it: `/etc/waymark/uploads.d/NAME.conf`.
///
/// The form is that of the daemon's own configuration, and so are the messages.
public struct DestinationFile: Sendable {
    /// The folder of the files.
    public static let folder = "/etc/waymark/uploads.d"

    /// The values; where there are problems, those that could be read.
    public var configuration: UploadConfiguration { reading.values }
    /// Everything that is wrong; the values are to be used only where this is empty.
    public var problems: [ConfigurationProblem] { reading.problems }

    private var reading = SettingReading<UploadConfiguration>()

    /// Reads a file.
    public init(reading path: String) {
        reading.read(path, mayBeMissing: false)
        check()
    }

    /// Reads a file that is in memory already, under a name for the messages.
    public init(reading bytes: [UInt8], as path: String) {
        reading.read(bytes, as: path)
        check()
    }

    /// The file of a destination, which is known by its name; nil for what is no name of one.
    public static func path(of name: String, in folder: String = folder) -> String? {
        guard (1...128).contains(name.utf8.count), name.utf8.first != UInt8(ascii: "."),
            name.utf8.allSatisfy(isNameByte)
        else { return nil }
        return "\(folder)/\(name).conf"
    }

    /// What keeps the values from being used together is told only where each of them is good.
    private mutating func check() {
        guard reading.problems.isEmpty else { return }
        for objection in reading.values.objections {
            reading.object(to: objection.key, in: objection.section, objection.message)
        }
    }

    /// What unit names have without escapes, systemd.unit(5), as the name is an instance of one.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// A file with every setting and its default, each in a comment.
    public static let example = UploadConfiguration.table.exampleFile([
        "Where a recording is sent. URL and Format have to be set; every other default works.",
        "",
        "Secrets do not belong here: Name= is the name of a credential of the service, LoadCredential= of systemd.exec(5).",
        "Comments stand on lines of their own. An empty value brings the default back.",
    ])

    /// The settings as a table in Markdown, for the documentation.
    public static let markdownTable = UploadConfiguration.table.markdown
}
