import Interfaces

/// Why a `LocationManager` has no data, in the words of Core Location's `CLError`.
public struct LocationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The cases of `CLError.Code` that occur in Waymark.
    public enum Code: Equatable, Sendable, CaseIterable {
        /// There is no position at present: no receiver, no fix, or none as accurate as requested. Wait: the manager
        /// reports the next position. `requestLocation()` has to be called again.
        case locationUnknown
        /// The app may not have positions. Show the person what the app cannot do. The manager continues by itself when
        /// the app is authorized.
        case denied
        /// The daemon cannot be reached, or has another release. The manager connects again by itself, unless the
        /// releases do not fit: then update the older one.
        case network
        /// The direction cannot be determined. Wait: the manager reports the next one.
        case headingFailure
        /// The app may not monitor regions. It needs a manifest and full accuracy.
        case regionMonitoringDenied
        /// A region cannot be monitored: it is no region, or there are too many. Change the region, or remove others.
        case regionMonitoringFailure
        /// The daemon cannot store regions at present, because the disk is full or the data is locked. Try again later.
        case regionMonitoringSetupDelayed
        /// A request for authorization was not shown to the person, or not stored. The manifest has to contain the
        /// request's usage description; if it does, ask again later.
        case promptDeclined

        /// What to do, in a sentence for a person.
        public var advice: String {
            switch self {
            case .locationUnknown: "Wait for the next position, outdoors if there is none for long."
            case .denied: "Allow the app to have positions: `waymark apps` shows what is decided about it."
            case .network: "Start the daemon, or wait until it runs again: `systemctl status waymark` shows it."
            case .headingFailure: "Wait for the next direction; a compass has to be connected."
            case .regionMonitoringDenied: "Give the app a manifest, and allow it full accuracy."
            case .regionMonitoringFailure: "Change the region, or remove other regions of the app."
            case .regionMonitoringSetupDelayed:
                "Try again later; `waymark status` shows whether the disk is full or the data is locked."
            case .promptDeclined: "Add the usage description to the app's manifest, or ask again later."
            }
        }
    }

    /// What kind of error it is.
    public let code: Code
    /// The error of the call to the daemon; nil if the call goes on, and only has no position to report.
    public let cause: WaymarkError?

    /// An error of this kind.
    public init(_ code: Code, cause: WaymarkError? = nil) {
        self.code = code
        self.cause = cause
    }

    /// An error of a call.
    ///
    /// - Parameters:
    ///   - cause: The error.
    ///   - other: The code of an error that only this kind of call has.
    public init(_ cause: WaymarkError, otherwise other: Code = .locationUnknown) {
        self.init(Code(cause, otherwise: other), cause: cause)
    }

    /// What happened and what to do, in sentences for a person.
    public var description: String {
        switch (code, cause) {
        case (.locationUnknown, nil): "There is no position at present. \(code.advice)"
        case (_, nil): code.advice
        // These sentences contain the next step.
        case (_, .refused(_, let message)?), (_, .purposeMissing(_, let message)?),
            (_, .requestInProgress(let message)?), (_, .notStored(let message)?):
            message
        case (.network, .notRunning?), (.network, .incompatible?): cause?.description ?? code.advice
        case (_, let cause?): "\(cause) \(code.advice)"
        }
    }
}

extension LocationError.Code {
    fileprivate init(_ cause: WaymarkError, otherwise other: Self) {
        switch cause {
        case .notRunning, .disconnected, .incompatible, .notUnderstood: self = .network
        case .refused(.regionsNotAllowed, _), .failed(ErrorName.regionsNotAllowed.rawValue, _, _):
            self = .regionMonitoringDenied
        case .refused: self = .denied
        case .purposeMissing, .requestInProgress, .notStored: self = .promptDeclined
        case .positionUnknown: self = .locationUnknown
        case .timedOut: self = other == .promptDeclined ? .network : other
        case .failed(ErrorName.regionsRegionsUnavailable.rawValue, _, _),
            .failed(ErrorName.regionsProtectedDataUnavailable.rawValue, _, _):
            self = .regionMonitoringSetupDelayed
        case .failed(let name, _, _):
            let isOfRegion: Set<ErrorName?> = [
                .regionsInvalidRegion, .regionsInvalidIdentifier, .regionsTooManyRegions, .regionsTooManyMonitors,
            ]
            self = isOfRegion.contains(ErrorName(rawValue: name)) ? .regionMonitoringFailure : other
        }
    }
}
