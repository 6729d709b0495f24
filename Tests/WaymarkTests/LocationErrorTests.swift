import Interfaces
import JSONText
import Platform
import Testing
import Waymark

/// The codes of `LocationError`.
struct LocationErrorTests {
    private static let text = "a sentence."

    @Test(
        arguments: [
            (.notRunning(path: "/s", SystemError("connect", code: 2)), .network), (.disconnected, .network),
            (.incompatible(message: text), .network), (.notUnderstood(text), .network),
            (.refused(.denied, message: text), .denied), (.refused(.accuracyReduced, message: text), .denied),
            (.refused(.regionsNotAllowed, message: text), .regionMonitoringDenied),
            (.purposeMissing(key: "key", message: text), .promptDeclined),
            (.requestInProgress(message: text), .promptDeclined), (.notStored(message: text), .promptDeclined),
            (.positionUnknown(reason: "noFix", message: text), .locationUnknown),
            (.timedOut(message: text), .headingFailure),
            (failed(.regionsInvalidRegion), .regionMonitoringFailure),
            (failed(.regionsTooManyRegions), .regionMonitoringFailure),
            (failed(.regionsRegionsUnavailable), .regionMonitoringSetupDelayed),
            (failed(.regionsProtectedDataUnavailable), .regionMonitoringSetupDelayed),
            (failed(.regionsNotAllowed), .regionMonitoringDenied),
            (failed(.tooManyConnections), .headingFailure),
        ] as [(WaymarkError, LocationError.Code)])
    func `each error of a call has a code`(_ cause: WaymarkError, _ code: LocationError.Code) {
        let error = LocationError(cause, otherwise: .headingFailure)
        #expect(error.code == code && error.cause == cause)
        #expect(error.description.hasSuffix("."), "\(error)")
    }

    @Test(arguments: [
        WaymarkError.refused(.denied, message: text), .purposeMissing(key: "key", message: text),
        .requestInProgress(message: text), .notStored(message: text),
    ])
    func `an error whose sentence has the next step is repeated as it is`(_ cause: WaymarkError) {
        #expect(LocationError(cause).description == Self.text)
    }

    private static func failed(_ name: ErrorName) -> WaymarkError {
        .failed(name: name.rawValue, message: text, parameters: .emptyObject)
    }

    @Test(arguments: LocationError.Code.allCases) func `each code says what to do`(_ code: LocationError.Code) {
        #expect(code.advice.hasSuffix(".") && LocationError(code).description.hasSuffix(code.advice))
    }
}
