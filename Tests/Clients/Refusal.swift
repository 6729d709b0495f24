import JSONText

// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import Interfaces
    import Testing
    import Varlink

    /// The daemon's error reply to a call that it refuses.
    public struct Refusal {
        /// Which error; nil for one that is none of the daemon's.
        public let error: ErrorName?
        /// The parameters of the error.
        public let parameters: JSON

        /// The error of a call; nil where it succeeds.
        public init?(_ call: () throws -> Void) throws {
            do {
                try call()
                return nil
            } catch VarlinkError.reply(let name, let parameters) {
                #expect(parameters["message"]?.stringValue?.isEmpty == false)
                error = ErrorName(rawValue: name)
                self.parameters = parameters
            }
        }
    }
#endif
