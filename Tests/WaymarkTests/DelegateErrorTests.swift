import Location
import Testing
import Waymark

/// A delegate with the types that Core Location's methods have.
@MainActor private final class PortedDelegate: @MainActor LocationManagerDelegate {
    private(set) var errors: [String] = []

    func locationManager(_ manager: LocationManager, didFailWithError error: any Error) {
        errors.append("position: \((error as? LocationError)?.code == .denied)")
    }

    func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error
    ) {
        errors.append("region: \((error as? LocationError)?.code == .regionMonitoringDenied)")
    }
}

/// A delegate with the types of this library.
@MainActor private final class OwnDelegate: @MainActor LocationManagerDelegate {
    private(set) var errors: [LocationError.Code] = []

    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
        errors.append(error.code)
    }
}

@Suite struct DelegateErrorTests {
    @Test @MainActor func `a delegate receives errors by either type`() {
        let manager = LocationManager(client: WaymarkClient(socketPath: "/nonexistent/waymark.sock"))
        let (ported, own) = (PortedDelegate(), OwnDelegate())
        for delegate in [ported, own] as [any LocationManagerDelegate] {
            delegate.locationManager(manager, didFailWithError: LocationError(.denied))
            delegate.locationManager(
                manager, monitoringDidFailFor: nil, withError: LocationError(.regionMonitoringDenied))
        }
        #expect(ported.errors == ["position: true", "region: true"])
        #expect(own.errors == [.denied])
    }
}
