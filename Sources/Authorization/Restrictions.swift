/// What root forbids on this machine, whatever anybody granted.
public struct Restrictions: Equatable, Sendable {
    /// What a part of a restriction that could not be read may have meant.
    public enum Kind: String, CaseIterable, Sendable {
        case denial, always, fullAccuracy, recording
    }

    /// A file, or a part of one, that could not be read: it restricts everything it might have meant.
    public struct Failure: Equatable, Sendable {
        /// Which file.
        public var file: String
        /// What is wrong with it, for a person.
        public var reason: String
        /// What it might have meant.
        public var mightMean: Set<Kind>

        /// A failure to read this file; unless more is known it might have meant anything.
        public init(file: String, reason: String, mightMean: Set<Kind> = Set(Kind.allCases)) {
            self.file = file
            self.reason = reason
            self.mightMean = mightMean
        }
    }

    /// Whether no app may have anything.
    public var deniesAll = false
    /// The app ids that may have nothing; a template's means all its instances.
    public var deniedApps: Set<String> = []
    /// The users whose apps may have nothing.
    public var deniedUIDs: Set<UInt32> = []
    /// The only app ids that may have anything; nil where that is not limited.
    public var allowedApps: Set<String>?
    /// Whether nobody may have positions except while in use.
    public var forbidsAlways = false
    /// Whether nobody may have more than reduced accuracy.
    public var forbidsFullAccuracy = false
    /// Whether nobody may record.
    public var forbidsRecording = false
    /// What could not be read.
    public var failures: [Failure] = []

    /// No restrictions.
    public init() {}

    /// Whether an app may have nothing. Only the system's manifests make an app one of `allowedApps`: a user may give any
    /// name to an own one.
    public func denies(_ app: AppID, isSystems: Bool = true) -> Bool {
        deniesAll || deniedUIDs.contains(app.uid) || Self.names(deniedApps, app.name)
            || allowedApps.map { !isSystems || !Self.names($0, app.name) } ?? false || mightMean(.denial)
    }

    /// Whether a process may have nothing because a manifest of a denied app fits it, of whatever app it is.
    public func denies(fitting names: Set<String>) -> Bool {
        !deniedApps.isEmpty && names.contains { Self.names(deniedApps, $0) }
    }

    /// Whether an app is among these, by its name or its template's.
    public static func names(_ names: Set<String>, _ app: String) -> Bool {
        names.contains(app) || InstanceName(app).map { names.contains($0.template) } ?? false
    }

    /// Whether `authorizedAlways` is no more than `authorizedWhenInUse`.
    public var limitsToInUse: Bool { forbidsAlways || mightMean(.always) }

    /// Whether accuracy is reduced for everybody.
    public var limitsToReducedAccuracy: Bool { forbidsFullAccuracy || mightMean(.fullAccuracy) }

    /// Whether recording is forbidden.
    public var limitsRecording: Bool { forbidsRecording || mightMean(.recording) }

    private func mightMean(_ kind: Kind) -> Bool { failures.contains { $0.mightMean.contains(kind) } }
}
