import Location

/// The accuracy of an app's recorded positions when they are read.
public enum RecordedAccuracy: String, CaseIterable, Sendable {
    /// As recorded, whatever accuracy the app has now.
    case recorded
    /// No better than the app's present accuracy: rows of full accuracy are withheld while it is reduced.
    case present
}

/// The declaration of an app, from a file of root or of its user.
public struct Manifest: Equatable, Sendable {
    /// The app's name in prompts.
    public var name: LocalizedText
    /// Why it needs positions while in use; without it the app cannot request them.
    public var whenInUseUsage: LocalizedText?
    /// Why it needs positions always; without it the app cannot request that.
    public var alwaysUsage: LocalizedText?
    /// Why it may need temporary full accuracy, by purpose key.
    public var temporaryUsages: [String: LocalizedText]
    /// Why it tracks the person; without it the app cannot request that.
    public var trackingUsage: LocalizedText?
    /// Whether the prompt proposes reduced accuracy.
    public var isDefaultAccuracyReduced: Bool
    /// Whether it may have recordings.
    public var mayRecord: Bool
    /// The accuracy of its recorded positions when they are read.
    public var recordedAccuracy: RecordedAccuracy
    /// The class of data protection of its recordings; nil for the usual one.
    public var protection: ProtectionClass?
    /// Whether the app of a system service counts as in use while it runs. Always false for a file that does not belong
    /// to root.
    public let isAlwaysInUse: Bool
    /// How its processes are identified.
    public var binding: ManifestBinding
    /// What starts it while it does not run, and for which events; nil if it is not woken.
    public var wake: WakeDeclaration?
    /// The containers that it names. `permittedContainers(isMachines:machines:)` says which of them its app may use.
    public var containers: [SyncedContainer]
    /// The name of its vendor; nil if the app is its own vendor. `ManifestCatalogue.vendor(of:)` says who vouches for it.
    public var vendor: String?

    /// A manifest with these values. `isAlwaysInUse` has an effect only if the file belongs to root.
    public init(
        name: LocalizedText, binding: ManifestBinding, whenInUseUsage: LocalizedText? = nil,
        alwaysUsage: LocalizedText? = nil, temporaryUsages: [String: LocalizedText] = [:],
        trackingUsage: LocalizedText? = nil,
        isDefaultAccuracyReduced: Bool = false, mayRecord: Bool = false,
        recordedAccuracy: RecordedAccuracy = .recorded, protection: ProtectionClass? = nil, isAlwaysInUse: Bool = false,
        isRoots: Bool = false, wake: WakeDeclaration? = nil, vendor: String? = nil, containers: [SyncedContainer] = []
    ) {
        self.name = name
        self.binding = binding
        self.whenInUseUsage = whenInUseUsage
        self.alwaysUsage = alwaysUsage
        self.temporaryUsages = temporaryUsages
        self.trackingUsage = trackingUsage
        self.isDefaultAccuracyReduced = isDefaultAccuracyReduced
        self.mayRecord = mayRecord
        self.recordedAccuracy = recordedAccuracy
        self.protection = protection
        self.isAlwaysInUse = isAlwaysInUse && isRoots
        self.wake = wake
        self.vendor = vendor
        self.containers = containers
    }

    /// Whether it may have recordings: it has to declare that, and why it needs positions.
    public var recordsForPurpose: Bool {
        mayRecord && [whenInUseUsage, alwaysUsage].contains { $0?.isEmpty == false }
    }

    /// The containers whose records its app may synchronize: a user's own manifest may not name a container of one of the
    /// machine's apps. The daemon and `waymark-sync` both apply this rule.
    /// - Parameters:
    ///   - isMachines: Whether the app is one of the machine's.
    ///   - machines: The manifests of the machine's apps.
    public func permittedContainers(isMachines: Bool, machines: some Sequence<Manifest>) -> [SyncedContainer] {
        guard !isMachines, !containers.isEmpty else { return containers }
        let names = Set(machines.lazy.flatMap(\.containers).map(\.name))
        return containers.filter { !names.contains($0.name) }
    }

    /// The accuracy that the prompt proposes.
    public var defaultAccuracy: AccuracyAuthorization { isDefaultAccuracyReduced ? .reduced : .full }
}
