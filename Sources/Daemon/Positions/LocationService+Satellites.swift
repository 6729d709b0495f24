import Authorization
import Location
import Platform
import Varlink

// Satellites: full accuracy only, because the satellites in view at a known time reveal the place.

extension LocationService {
    func watchSatellites(_ call: Call, _ session: ClientSession, once: Bool) {
        do throws(SystemError) {
            let stream = try SkyStream(call, session: session, once: once) { [weak self] stream in
                guard let self else { return }
                stream.call.fail(pipeline.unavailable ?? .noFix)
                end(stream.call)
            }
            skyStreams[ObjectIdentifier(call)] = stream
            begin(stream)
            review(stream)
        } catch {
            fail(call, error)
        }
    }

    /// Continues, pauses or ends the stream under the present authorization.
    func review(_ stream: SkyStream) {
        let decision = authorizer.decide(for: stream.session)
        switch decision.access {
        case .full:
            guard stream.feed == .none else { return }
            use(.full, for: stream)
            if let sky = pipeline.currentSky,
                pipeline.isNew(sky) || authorizer.couldHaveFull(stream.session, at: sky.receivedAt)
            {
                deliver(sky, to: stream, decision)
            }
        case .reduced:
            stream.call.discardOffered()
            stream.call.failAccuracyReduced()
            end(stream.call)
        case .refused(let reason) where reason.isPause && !stream.once:
            stream.withdraw()
            use(.none, for: stream)
        case .refused(let reason):
            refuse(stream.call, reason, stream.session)
            end(stream.call)
        }
    }

    func deliver(_ sky: SkyView) {
        let now = authorizer.instant
        for stream in Array(skyStreams.values) where stream.feed == .full {
            deliver(sky, to: stream, authorizer.decide(for: stream.session, at: now))
        }
    }

    private func deliver(_ sky: SkyView, to stream: SkyStream, _ decision: Decision) {
        guard let disclosure = decision.view(of: sky) else { return review(stream) }
        stream.deliver(disclosure)
        if stream.call.isOver { end(stream.call) }
    }
}
