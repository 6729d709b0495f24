// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import Interfaces
    import Location
    import Testing

    extension AppClient {
        /// The positions of the recording `trip` after a number, page by page up to the last one that was recorded at the
        /// first page: on a busy machine each further page may have a new one. With the name of the error where a page
        /// cannot be read.
        public func recordedPositions(
            after number: Int64 = 0
        ) throws -> (points: [RecordedPosition], error: String?) {
            var all: [RecordedPosition] = []
            var (next, end) = (number, Int64.max)
            while next < end {
                let reply = try call(
                    RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":\#(next),"limit":1000}"#)
                guard reply.error == nil else { return (all, reply.error) }
                let page = try #require(RecordingPage(reply.parameters), "\(reply)")
                guard let newest = page.points.last?.sequence else { break }
                if all.isEmpty { end = page.last }
                all += page.points
                next = newest
            }
            return (all, nil)
        }
    }
#endif
