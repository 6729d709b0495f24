import Interfaces
import Varlink

// Tests write the words of open sets as texts, among them words of later releases.

extension ExpressibleByStringLiteral where Self: VarlinkWord {
    /// The word.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension LocationInterface.Diagnostic: ExpressibleByStringLiteral {}
extension JournalInterface.EventKind: ExpressibleByStringLiteral {}
extension RecordingInterface.State: ExpressibleByStringLiteral {}
extension UploadsInterface.State: ExpressibleByStringLiteral {}
extension UploadsInterface.Reason: ExpressibleByStringLiteral {}
