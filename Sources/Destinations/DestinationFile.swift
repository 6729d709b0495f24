import Configuration
import Platform
import Upload

/// The configuration file of one destination: `/etc/waymark/uploads.d/NAME.conf`.
///
/// Its form and its error messages are those of the daemon's own configuration.
public struct DestinationFile: Sendable {
    /// The folder of the files.
    public static let folder = "/etc/waymark/uploads.d"

    /// The values; if there are problems, those that could be read.
    public var configuration: UploadConfiguration { reading.values }
    /// All problems; the values may be used only if there are none.
    public var problems: [ConfigurationProblem] { reading.problems }

    private static let adviceWhereMissing =
        "Write it: `waymark uploads example` prints one with all settings, and waymark-upload.conf(5) explains them"

    private var reading = SettingReading<UploadConfiguration>()

    /// Reads a file.
    public init(reading path: String) {
        reading.read(path, mayBeMissing: false, advice: Self.adviceWhereMissing)
        check()
    }

    /// Reads a file from memory, under a name for the messages.
    public init(reading bytes: [UInt8], as path: String) {
        reading.read(bytes, as: path)
        check()
    }

    /// The path of a destination's file by its name; nil for an invalid name.
    public static func path(of name: String, in folder: String = folder) -> String? {
        PlainFileName.isValid(name, longest: 128) ? "\(folder)/\(name).conf" : nil
    }

    /// Conflicts between values are reported only if each value is valid on its own.
    private mutating func check() {
        guard reading.problems.isEmpty else { return }
        for objection in reading.values.objections {
            reading.object(to: objection.key, in: objection.section, objection.message)
        }
    }

    /// A file with every setting and its default, each in a comment.
    public static let example = UploadConfiguration.table.exampleFile([
        "The destination of a recording. URL and Format have to be set; every other default works.",
        "",
        "Secrets do not belong here: Name= is the name of a credential of the service, LoadCredential= of systemd.exec(5).",
        "Comments are on lines of their own. An empty value restores the default.",
    ])

    /// The settings as a table in Markdown, for the documentation.
    public static let markdownTable = UploadConfiguration.table.markdown
}
