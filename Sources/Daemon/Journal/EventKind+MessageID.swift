import Journal

extension EventKind {
    /// The MESSAGE_ID of systemd.journal-fields(7) by which the system's journal and its catalog identify an event of
    /// this kind; nil for a kind that is not sent to the system's journal. An ID never changes: systemd/waymark.catalog
    /// has a text for each.
    var messageID: String? {
        switch self {
        case .serviceStarted: "ceefec5e4d3144f694cc31b13b6d55ac"
        case .serviceStopped: "b9060d7b8122438e965bd641db3271ca"
        case .configurationReloaded: "4e0867babd584a75aa963f479ea98938"
        case .receiverConnected: "c31e746040d34ef2b7249bdc38550a12"
        case .receiverLost: "4a845d487e0b498b8025dce317139b36"
        case .receiverStale: "32cd8020b5a547979d51437891b673fd"
        // When the receiver loses and regains its view of the sky is for operators of this daemon only, not for every
        // reader of the system's log.
        case .fixAcquired, .fixLost: nil
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
        case .accountSuspended: "98d3280648dc49849c6476e3502fde8f"
        case .accountRestored: "3aaa1ddb9bb547d287be8547eb737cbd"
        case .accountErased: "252ce14f9a8841348e8a22fd550fa6db"
        case .reducedKeyRotated: "266c33da415249a293a8b326525f1115"
        case .userLocked: "40ee7abc09334a688aba41e2628acf88"
        case .userUnlocked: "8c0c87f3eb94438fb1a4e995ab6c9feb"
        case .agentRegistered: "9197f924dfe0449fbe8ceeca93c02b9d"
        case .agentUnregistered: "9028d41acc444eaca92164beedb67b9e"
        case .positionsSeen: "8e132dadd3a04ab99e5cc325cdaeb0c6"
        case .networkChanged: "afb165b0a9d1452b99a5b8983e13487d"
        case .targetChanged: "30721142eea947af9f273f6e8b713834"
        case .recordingStarted: "96560c2cc82b4003bcf48b1b50e7c7a7"
        case .recordingStopped: "1f805dd9e4064f0c84051fba42d30bfe"
        case .recordingErased: "da53bb22eed543e9a4d3b5dfa711e19c"
        case .recordingPaused: "4956ec5833a74ed1b7e8152a92e9fc61"
        case .recordingResumed: "d81f3999a01748989a53b69a2c941918"
        case .positionsDropped: "c34eab8c95aa4f57be1ff5e85eb3141b"
        case .uploadStarted: "ba69ca2310014995801fa1458cf09d2f"
        case .uploadPaused: "d002d9f26df04a8ba7375285ce8319d6"
        case .uploadResumed: "f075f5ac1b864a8ab338d0e5e06511f9"
        case .uploadSucceeded: "78ce08eb401c4d64aa20466ffc30875f"
        case .uploadFailed: "be1a84d06766471b890b52bbe63a62f0"
        case .uploadRejected: "85cb74affd3145cd8dd819b150a91057"
        }
    }
}
