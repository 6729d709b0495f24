import JSONText
import Location
import NetworkPaths
import Varlink

// Types of other modules that represent types of the interfaces, as `@swift` in the interfaces' texts says.

extension AuthorizationStatus: VarlinkReadable, VarlinkWritable {}
extension TrackingAuthorizationStatus: VarlinkReadable, VarlinkWritable {}
extension AccuracyAuthorization: VarlinkReadable, VarlinkWritable {}
extension Activity: VarlinkReadable, VarlinkWritable {}
extension Permission: VarlinkReadable, VarlinkWritable {}
extension PromptKind: VarlinkReadable, VarlinkWritable {}
extension PromptChoice: VarlinkReadable, VarlinkWritable {}
extension UndatedState: VarlinkReadable, VarlinkWritable {}
extension NetworkPath.Status: VarlinkReadable, VarlinkWritable {}
extension ReportedOutcome: VarlinkReadable, VarlinkWritable {}

extension RecordingID: VarlinkReadable, VarlinkWritable {
    /// Reads an UUID.
    public init(varlink json: JSON) throws(InvalidParameter) {
        self = try json.stringValue.flatMap(RecordingID.init).orInvalid()
    }

    /// Writes the UUID.
    public func write(to writer: inout JSONWriter) { writer.string(description) }
}

extension Position: VarlinkReadable {
    /// Reads a `Position`. There is no counterpart: only the result of the daemon's authorization gate can be written.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try Position(json).orInvalid() }
}

extension SkyView: VarlinkReadable {
    /// Reads a `Sky`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try SkyView(json).orInvalid() }
}

extension Visit: VarlinkReadable {
    /// Reads a `Visit`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try Visit(json).orInvalid() }
}

extension Heading: VarlinkReadable {
    /// Reads a `Heading`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try Heading(json).orInvalid() }
}

extension NetworkPath: VarlinkReadable, VarlinkWritable {
    /// Reads a `Path`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try NetworkPath(json).orInvalid() }
}

extension TargetReachability: VarlinkReadable, VarlinkWritable {
    /// Reads a `Target`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try TargetReachability(json).orInvalid() }
}

extension ReachabilityStep: VarlinkReadable, VarlinkWritable {
    /// Reads a `Step`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try ReachabilityStep(json).orInvalid() }
}

extension UploadStatus: VarlinkReadable, VarlinkWritable {
    /// Reads a `AuthorizationState`.
    public init(varlink json: JSON) throws(InvalidParameter) { self = try UploadStatus(json).orInvalid() }
}

extension Optional {
    /// The value that was read.
    /// - Throws: `InvalidParameter` for the whole value, where it is nil.
    func orInvalid() throws(InvalidParameter) -> Wrapped {
        guard let self else { throw InvalidParameter(path: "") }
        return self
    }
}
