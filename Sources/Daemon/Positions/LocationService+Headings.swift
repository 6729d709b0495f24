import Authorization
import Location
import Varlink

// Headings: full accuracy only. The declination alone shows the region in which the machine is.

extension LocationService {
    func monitorHeading(_ call: Call, _ session: ClientSession, filter: Double?) {
        let stream = HeadingStream(call, session: session, filter: filter)
        headingStreams[ObjectIdentifier(call)] = stream
        begin(stream)
        review(stream)
    }

    /// Continues, pauses or ends the stream under the present authorization.
    func review(_ stream: HeadingStream) {
        let decision = authorizer.decide(for: stream.session)
        switch decision.access {
        case .full:
            guard stream.feed == .none else { return }
            use(.full, for: stream)
            if let heading = pipeline.currentHeading { deliver(heading, to: stream, decision) }
        case .reduced:
            stream.withdraw()
            stream.call.failAccuracyReduced()
            end(stream.call)
        case .refused(let reason) where reason.isPause:
            stream.withdraw()
            use(.none, for: stream)
        case .refused(let reason):
            refuse(stream.call, reason, stream.session)
            end(stream.call)
        }
    }

    func deliver(_ heading: Heading) {
        guard !headingStreams.isEmpty else { return }
        let now = authorizer.instant
        for stream in Array(headingStreams.values) where stream.feed == .full {
            deliver(heading, to: stream, authorizer.decide(for: stream.session, at: now))
        }
    }

    private func deliver(_ heading: Heading, to stream: HeadingStream, _ decision: Decision) {
        guard let disclosure = decision.view(of: heading) else { return review(stream) }
        stream.deliver(disclosure)
    }
}
