import Interfaces
import JSONText
import Varlink

extension VarlinkReadable {
    /// Reads a value of a reply; nil where it does not conform to the interface.
    public init?(_ json: JSON) {
        do throws(InvalidParameter) { try self.init(varlink: json) } catch { return nil }
    }
}

extension RecordingPage {
    /// The page of a reply's parameters; nil where they are none.
    public init?(_ json: JSON) {
        guard let reply = RecordingInterface.Read.Reply(json) else { return nil }
        self.init(reply)
    }
}
