import Location

/// How exact the stored rows of an app's recordings may be when they are read.
public enum RecordedAccuracy: String, CaseIterable, Sendable {
    /// As exact as they were recorded, whatever the app may have now.
    case recorded
    /// As exact as the app may have positions now: rows of full accuracy are withheld while its accuracy is reduced.
    case present
}

/// What an app says of itself, in a file that root or its user put there.
public struct Manifest: Equatable, Sendable {
    /// The app's name for a person.
    public var name: LocalizedText
    /// Why it wants positions while in use; without one it cannot ask.
    public var whenInUseUsage: LocalizedText?
    /// Why it wants positions always; without one it cannot ask for that.
    public var alwaysUsage: LocalizedText?
    /// Why it may want full accuracy for a while, by purpose key.
    public var temporaryUsages: [String: LocalizedText]
    /// Whether the prompt proposes reduced accuracy.
    public var isDefaultAccuracyReduced: Bool
    /// Whether it may record.
    public var mayRecord: Bool
    /// How exact its recordings may be when they are read.
    public var recordedAccuracy: RecordedAccuracy
    /// Whether the app of a system service counts as in use while it runs. False for a file that is not root's, whatever
    /// that says.
    public let isAlwaysInUse: Bool
    /// By what its processes are known.
    public var binding: ManifestBinding

    /// A manifest of these parts. `isAlwaysInUse` counts only where the file is root's.
    public init(
        name: LocalizedText, binding: ManifestBinding, whenInUseUsage: LocalizedText? = nil,
        alwaysUsage: LocalizedText? = nil, temporaryUsages: [String: LocalizedText] = [:],
        isDefaultAccuracyReduced: Bool = false, mayRecord: Bool = false,
        recordedAccuracy: RecordedAccuracy = .recorded, isAlwaysInUse: Bool = false, isRoots: Bool = false
    ) {
        self.name = name
        self.binding = binding
        self.whenInUseUsage = whenInUseUsage
        self.alwaysUsage = alwaysUsage
        self.temporaryUsages = temporaryUsages
        self.isDefaultAccuracyReduced = isDefaultAccuracyReduced
        self.mayRecord = mayRecord
        self.recordedAccuracy = recordedAccuracy
        self.isAlwaysInUse = isAlwaysInUse && isRoots
    }

    /// Whether it may record: it has to say so, and what it wants positions for.
    public var recordsForPurpose: Bool {
        mayRecord && [whenInUseUsage, alwaysUsage].contains { $0?.isEmpty == false }
    }

    /// The accuracy that the prompt proposes.
    public var defaultAccuracy: AccuracyAuthorization { isDefaultAccuracyReduced ? .reduced : .full }
}
