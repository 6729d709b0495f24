import Location

/// Root's prohibitions on this machine, which apply whatever was granted.
public struct Restrictions: Equatable, Sendable {
    /// A right that can be forbidden.
    public enum Right: String, CaseIterable, Sendable {
        /// Any position.
        case position
        /// Positions while not in use.
        case always
        /// Positions with full accuracy.
        case fullAccuracy
        /// Recordings.
        case recording
        /// Monitoring of regions.
        case regions
        /// Tracking, with the advertising identifier.
        case tracking
    }

    /// A file, or a part of one, that could not be read. It restricts everything that it may have been intended to
    /// restrict.
    public struct Failure: Equatable, Sendable {
        /// The file.
        public var file: String
        /// The error, as text for a person.
        public var reason: String
        /// The rights that it may forbid.
        public var mightMean: Set<Right>

        /// A failure to read this file; by default it may forbid every right.
        public init(file: String, reason: String, mightMean: Set<Right> = Set(Right.allCases)) {
            self.file = file
            self.reason = reason
            self.mightMean = mightMean
        }
    }

    /// Whether every app is denied.
    public var deniesAll = false
    /// The denied app ids; a template's id denies all its instances.
    public var deniedApps: Set<String> = []
    /// The users whose apps are denied.
    public var deniedUIDs: Set<UInt32> = []
    /// The only app ids that are not denied; nil if there is no such list.
    public var allowedApps: Set<String>?
    /// Whether all apps are limited to positions while in use.
    public var forbidsAlways = false
    /// Whether all apps are limited to reduced accuracy.
    public var forbidsFullAccuracy = false
    /// Whether recordings are forbidden.
    public var forbidsRecording = false
    /// Whether monitoring of regions is forbidden.
    public var forbidsRegions = false
    /// Whether tracking is forbidden.
    public var forbidsTracking = false
    /// The least class of data protection of recordings, where a passphrase was set.
    public var minimumProtection = ProtectionClass.none
    /// The files that could not be read.
    public var failures: [Failure] = []

    /// No restrictions.
    public init() {}

    /// Whether an app is denied. Only an app of the system's manifests can be one of `allowedApps`, because users
    /// choose the names of their own manifests.
    public func denies(_ app: AppID, isSystems: Bool = true) -> Bool {
        deniesAll || deniedUIDs.contains(app.uid) || Self.names(deniedApps, app.name)
            || allowedApps.map { !isSystems || !Self.names($0, app.name) } ?? false || mightMean(.position)
    }

    /// Whether a process is denied because a denied app's manifest fits it, whatever app it belongs to.
    public func denies(fitting names: Set<String>) -> Bool {
        !deniedApps.isEmpty && names.contains { Self.names(deniedApps, $0) }
    }

    /// Whether the names contain an app or its template.
    public static func names(_ names: Set<String>, _ app: String) -> Bool {
        names.contains(app) || InstanceName(app).map { names.contains($0.template) } ?? false
    }

    /// Whether `authorizedAlways` counts as `authorizedWhenInUse`.
    public var limitsToInUse: Bool { forbidsAlways || mightMean(.always) }

    /// Whether all apps have reduced accuracy.
    public var limitsToReducedAccuracy: Bool { forbidsFullAccuracy || mightMean(.fullAccuracy) }

    /// Whether recording is forbidden.
    public var limitsRecording: Bool { forbidsRecording || mightMean(.recording) }

    /// Whether monitoring of regions is forbidden.
    public var limitsRegions: Bool { forbidsRegions || mightMean(.regions) }

    /// Whether tracking is forbidden.
    public var limitsTracking: Bool { forbidsTracking || mightMean(.tracking) }

    private func mightMean(_ right: Right) -> Bool { failures.contains { $0.mightMean.contains(right) } }
}
