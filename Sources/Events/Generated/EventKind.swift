// Made from event-kinds.txt by `make interfaces`: change that file, not this one.

/// The kind of an event. The raw value is stored in the database and is never renamed.
///
/// A newer release may have written other kinds, which are read as their raw text.
public enum EventKind: String, CaseIterable, Sendable {
    /// The daemon began to serve.
    case serviceStarted
    /// The daemon ended in order.
    case serviceStopped
    /// The configuration was read again.
    case configurationReloaded
    /// A receiver began to report.
    case receiverConnected
    /// A receiver was disconnected.
    case receiverLost
    /// A receiver is connected but silent.
    case receiverStale
    /// The position became known.
    case fixAcquired
    /// The position is no longer known.
    case fixLost
    /// The system's or a receiver's clock was set.
    case clockJumped
    /// The machine resumed from sleep: the duration.
    case machineResumed
    /// The journal could not be written for a while: the period and the reason.
    case journalFull
    /// A damaged database was set aside: its new name.
    case journalDamaged
    /// Events are missing, all about one app if one is named: their number, their period and the reason.
    case eventsDropped
    /// A note of the operator.
    case note
    /// State saved before a restart is in force again.
    case stateRestored
    /// Unreadable state was set aside: which, its new name, and the reason.
    case stateSetAside
    /// An app requested authorization, or a person was asked: for what.
    case authorizationRequested
    /// A prompt was answered or ended: the outcome.
    case authorizationAnswered
    /// The decision for an app changed: the decision and who made it.
    case authorizationChanged
    /// The decision for an app was removed: by whom.
    case authorizationReset
    /// Location services were turned on: by whom.
    case servicesOn
    /// Location services were turned off: by whom.
    case servicesOff
    /// Root's restrictions changed: the number of unreadable files.
    case restrictionsChanged
    /// A process of an app was identified: with which assurance.
    case appAttached
    /// An app came into use.
    case appInUse
    /// An app is no longer in use.
    case appLeftUse
    /// The last process of an app ended.
    case appDetached
    /// An app began a background activity session.
    case holdBegan
    /// A background activity session ended.
    case holdEnded
    /// Manifests of the machine were added, changed or removed.
    case manifestsChanged
    /// The key of reduced accuracy was replaced.
    case reducedKeyRotated
    /// A user's login was locked.
    case userLocked
    /// A user's login was unlocked.
    case userUnlocked
    /// An agent of a user that shows prompts was registered.
    case agentRegistered
    /// An agent of a user disconnected.
    case agentUnregistered
    /// The data stored for a user id is no longer used, because its account was removed or changed: the reason.
    case accountSuspended
    /// The data stored for a user id is used again: by whose decision.
    case accountRestored
    /// The data stored for a user id was erased: by whom, or because its account was missing for long enough.
    case accountErased
    /// An app received positions within an hour: how many, at which accuracy, in use and in the background. Counts
    /// only.
    case positionsSeen
    /// The network connection that clients see changed: its status and its interfaces.
    case networkChanged
    /// The reachability of a host that an app watches changed: which host, and the reason.
    case targetChanged
    /// An app started a recording, or changed its options: which recording.
    case recordingStarted
    /// An app stopped a recording.
    case recordingStopped
    /// A recording was erased with all its data: which, and the reason.
    case recordingErased
    /// An app, or an operator's program, added a monitor of regions: which monitor.
    case regionMonitorAdded
    /// A monitor of regions was removed with all its regions and events: which monitor.
    case regionMonitorRemoved
    /// An app lost its authorization, so what is known about its regions was erased: the events that it had not
    /// acknowledged, and whether this machine is in them.
    case regionEventsErased
    /// A started recording no longer records positions: which, and the reason.
    case recordingPaused
    /// Positions are recorded again: of which recording.
    case recordingResumed
    /// Positions of a recording were dropped before they were acknowledged: their number, their period and the reason.
    case positionsDropped
    /// An uploader for a recording connected: which.
    case uploadStarted
    /// An upload waits for a network path to its destination or for a better one, or was paused by an operator.
    case uploadPaused
    /// An upload continues after it waited.
    case uploadResumed
    /// An upload works, after it started, waited or failed.
    case uploadSucceeded
    /// An upload fails, or fails for another reason: the reason, without an address.
    case uploadFailed
    /// A destination refuses positions: how many.
    case uploadRejected
    /// A sleeping app was started or thawed.
    case appWoken
    /// An app is not woken now, because its budget is used up.
    case wakeDelayed
    /// A wake had no success.
    case wakeFailed
    /// An app is no longer woken, because three wakes in a row had no success.
    case wakingPaused
    /// A person has forced an app to quit: it is not woken until it starts by itself.
    case appForcedToQuit
    /// An app is woken again.
    case wakingAllowed
    /// An app has received an identifier for the first time.
    case identifierDisclosed
    /// Identifiers of a user were reset: apps get new ones.
    case identifiersReset
    /// The decision about tracking by an app changed or was removed: the decision and who made it.
    case trackingAuthorizationChanged
    /// Protected data was locked: by whom.
    case dataLocked
    /// Protected data was unlocked: by whom, and with which kind of secret.
    case dataUnlocked
    /// A wrong secret was given to unlock protected data or to change its secrets: by whom, and how many in a row.
    case dataUnlockRefused
    /// The secrets that unlock protected data have changed: which change, and by whom.
    case protectionChanged
}

extension EventKind {
    /// What has happened, in a few words for a person.
    public var words: String {
        switch self {
        case .serviceStarted: "daemon started"
        case .serviceStopped: "daemon stopped"
        case .configurationReloaded: "configuration reloaded"
        case .receiverConnected: "receiver connected"
        case .receiverLost: "receiver lost"
        case .receiverStale: "receiver silent"
        case .fixAcquired: "position known"
        case .fixLost: "position no longer known"
        case .clockJumped: "a clock was set"
        case .machineResumed: "machine woke up"
        case .journalFull: "journal could not be written"
        case .journalDamaged: "damaged journal set aside"
        case .eventsDropped: "events missing"
        case .note: "note"
        case .stateRestored: "state restored"
        case .stateSetAside: "unreadable state set aside"
        case .authorizationRequested: "authorization requested"
        case .authorizationAnswered: "prompt ended"
        case .authorizationChanged: "authorization changed"
        case .authorizationReset: "authorization erased"
        case .servicesOn: "location services on"
        case .servicesOff: "location services off"
        case .restrictionsChanged: "restrictions changed"
        case .appAttached: "app identified"
        case .appInUse: "app in use"
        case .appLeftUse: "app no longer in use"
        case .appDetached: "app detached"
        case .holdBegan: "background session began"
        case .holdEnded: "background session ended"
        case .manifestsChanged: "manifests changed"
        case .reducedKeyRotated: "reduced key rotated"
        case .userLocked: "login locked"
        case .userUnlocked: "login unlocked"
        case .agentRegistered: "agent registered"
        case .agentUnregistered: "agent unregistered"
        case .accountSuspended: "account suspended"
        case .accountRestored: "account restored"
        case .accountErased: "account data erased"
        case .positionsSeen: "positions seen"
        case .networkChanged: "network changed"
        case .targetChanged: "watched host changed"
        case .recordingStarted: "recording started"
        case .recordingStopped: "recording stopped"
        case .recordingErased: "recording erased"
        case .regionMonitorAdded: "monitor of regions added"
        case .regionMonitorRemoved: "monitor of regions removed"
        case .regionEventsErased: "events of regions erased"
        case .recordingPaused: "recording paused"
        case .recordingResumed: "recording resumed"
        case .positionsDropped: "positions dropped"
        case .uploadStarted: "uploader attached"
        case .uploadPaused: "upload paused"
        case .uploadResumed: "upload resumed"
        case .uploadSucceeded: "upload works"
        case .uploadFailed: "upload failed"
        case .uploadRejected: "positions rejected"
        case .appWoken: "app woken"
        case .wakeDelayed: "wake delayed"
        case .wakeFailed: "wake failed"
        case .wakingPaused: "waking paused"
        case .appForcedToQuit: "app forced to quit"
        case .wakingAllowed: "waking allowed"
        case .identifierDisclosed: "identifier disclosed"
        case .identifiersReset: "identifiers reset"
        case .trackingAuthorizationChanged: "tracking authorization changed"
        case .dataLocked: "data locked"
        case .dataUnlocked: "data unlocked"
        case .dataUnlockRefused: "wrong secret"
        case .protectionChanged: "data protection changed"
        }
    }

    /// The color of the words in a terminal; nil for the usual one.
    public var color: EventColor? {
        switch self {
        case .receiverConnected: .green
        case .receiverLost: .yellow
        case .receiverStale: .yellow
        case .fixAcquired: .green
        case .fixLost: .yellow
        case .clockJumped: .yellow
        case .journalFull: .red
        case .journalDamaged: .red
        case .eventsDropped: .red
        case .note: .cyan
        case .stateSetAside: .red
        case .authorizationRequested: .cyan
        case .servicesOn: .green
        case .servicesOff: .yellow
        case .holdBegan: .cyan
        case .positionsDropped: .red
        case .uploadSucceeded: .green
        case .uploadFailed: .yellow
        case .uploadRejected: .yellow
        case .appWoken: .green
        case .wakeDelayed: .yellow
        case .wakeFailed: .yellow
        case .wakingPaused: .red
        case .appForcedToQuit: .yellow
        case .wakingAllowed: .green
        case .identifiersReset: .yellow
        case .dataUnlockRefused: .yellow
        default: nil
        }
    }

    /// Whether the event is a loss or a failure.
    public var isLoss: Bool {
        switch self {
        case .journalFull: true
        case .journalDamaged: true
        case .eventsDropped: true
        case .stateSetAside: true
        case .positionsDropped: true
        case .uploadFailed: true
        case .uploadRejected: true
        case .wakeFailed: true
        case .wakingPaused: true
        case .dataUnlockRefused: true
        default: false
        }
    }

    /// The MESSAGE_ID of systemd.journal-fields(7) by which the system's journal and its catalog identify an event of
    /// this kind; nil for a kind that is not written there.
    public var messageID: String? {
        switch self {
        case .serviceStarted: "ceefec5e4d3144f694cc31b13b6d55ac"
        case .serviceStopped: "b9060d7b8122438e965bd641db3271ca"
        case .configurationReloaded: "4e0867babd584a75aa963f479ea98938"
        case .receiverConnected: "c31e746040d34ef2b7249bdc38550a12"
        case .receiverLost: "4a845d487e0b498b8025dce317139b36"
        case .receiverStale: "32cd8020b5a547979d51437891b673fd"
        case .clockJumped: "2215143691b440f19980124eb0faafa3"
        case .machineResumed: "07593162309b490284b5c1a5e09f7ef6"
        case .journalFull: "55bb02e1324946a8b9b3958830d87d9c"
        case .journalDamaged: "d99a8791d91240b98b4dce15d961740f"
        case .eventsDropped: "2b1292fe42b042f4b9374d26366b28cf"
        case .note: "b58646ec38f347e0bf4c43cc2ff618f2"
        case .stateRestored: "c990ba973f6b4fbc9738e4f2c8f698f5"
        case .stateSetAside: "7ff5afbe261a4431ac69956860c490f5"
        case .authorizationRequested: "6076c5932ca64469be390ade8c6d0e6c"
        case .authorizationAnswered: "7a84b58635ea44c6bafff9057e44afc4"
        case .authorizationChanged: "024df82396b649e49c8c6d6db32dc968"
        case .authorizationReset: "70f373275edd4ce4a78d8672b4fb68bc"
        case .servicesOn: "bdfe6475d85f4240bde009e70086b96a"
        case .servicesOff: "65df389cfb2a4cffb2f2581ff4ad7b8f"
        case .restrictionsChanged: "8da98a90917141ccb40d02ce7509823c"
        case .appAttached: "521822f12b254c8c9c62642e6e49c823"
        case .appInUse: "64051f777782460e9536d9633d92fa1d"
        case .appLeftUse: "c86d534f838d42e0921065a463d78c54"
        case .appDetached: "2ae325ce00eb431ea72135a61a52672d"
        case .holdBegan: "407050fd57b5472595bbe87ed4329859"
        case .holdEnded: "9913c8b61cc24b72a2fdce8195749165"
        case .manifestsChanged: "c25be0114fcb4b259778736c09c167c3"
        case .reducedKeyRotated: "266c33da415249a293a8b326525f1115"
        case .userLocked: "40ee7abc09334a688aba41e2628acf88"
        case .userUnlocked: "8c0c87f3eb94438fb1a4e995ab6c9feb"
        case .agentRegistered: "9197f924dfe0449fbe8ceeca93c02b9d"
        case .agentUnregistered: "9028d41acc444eaca92164beedb67b9e"
        case .accountSuspended: "98d3280648dc49849c6476e3502fde8f"
        case .accountRestored: "3aaa1ddb9bb547d287be8547eb737cbd"
        case .accountErased: "252ce14f9a8841348e8a22fd550fa6db"
        case .positionsSeen: "8e132dadd3a04ab99e5cc325cdaeb0c6"
        case .networkChanged: "afb165b0a9d1452b99a5b8983e13487d"
        case .targetChanged: "30721142eea947af9f273f6e8b713834"
        case .recordingStarted: "96560c2cc82b4003bcf48b1b50e7c7a7"
        case .recordingStopped: "1f805dd9e4064f0c84051fba42d30bfe"
        case .recordingErased: "da53bb22eed543e9a4d3b5dfa711e19c"
        case .regionMonitorAdded: "6e022af4231d5a9558906a9ee9d387fd"
        case .regionMonitorRemoved: "7c53fa6ffd280ea88c5d511e3a6d53df"
        case .regionEventsErased: "ec189ea655063d63eba7a9ab1efa9a12"
        case .recordingPaused: "4956ec5833a74ed1b7e8152a92e9fc61"
        case .recordingResumed: "d81f3999a01748989a53b69a2c941918"
        case .positionsDropped: "c34eab8c95aa4f57be1ff5e85eb3141b"
        case .uploadStarted: "ba69ca2310014995801fa1458cf09d2f"
        case .uploadPaused: "d002d9f26df04a8ba7375285ce8319d6"
        case .uploadResumed: "f075f5ac1b864a8ab338d0e5e06511f9"
        case .uploadSucceeded: "78ce08eb401c4d64aa20466ffc30875f"
        case .uploadFailed: "be1a84d06766471b890b52bbe63a62f0"
        case .uploadRejected: "85cb74affd3145cd8dd819b150a91057"
        case .trackingAuthorizationChanged: "3fcd5600a81f4c8db5f73ad5d20bf294"
        case .dataLocked: "a95b4e2c7adc4517a5bdf1197f7cfbdb"
        case .dataUnlocked: "e6591fba95274fca8b06abee12950f34"
        case .dataUnlockRefused: "8e749494c33640f68d8855b6c6ee06fa"
        case .protectionChanged: "44578bc3d75540d081aaf762b1a07e73"
        default: nil
        }
    }
}
