import Location

/// The table of what every event does to what is stored of an app. Nothing else changes a permission.
///
/// `Policy` sees to the conditions that are not the app's own: a manifest with the description, services, restrictions,
/// being in use.
enum Transitions {
    /// What happened.
    enum Trigger: Equatable {
        case requestWhenInUse, requestAlways
        case requestTemporaryFullAccuracy(key: String)
        case positionDueInBackground
        case answer(Prompt.Kind, PromptChoice)
        case leftUse, restarted, bindingChanged
        case set(Permission)
        case reset
    }

    /// What comes of it.
    enum Outcome: Equatable {
        /// Nothing changes: the reply has the present status.
        case stays
        /// The person is asked.
        case asks(Prompt.Kind)
        /// The permission changes.
        case becomes(Permission)
        /// Full accuracy until the app leaves use; what is stored stays.
        case fullAccuracyForNow
        /// Reduced accuracy stays, and the reply says that full accuracy was refused.
        case fullAccuracyRefused
        /// As if nobody had ever decided or been asked.
        case forgotten
    }

    /// A row of the table. A dismissed prompt has none: it changes nothing.
    static func outcome(of trigger: Trigger, on grant: Grant) -> Outcome {
        switch (trigger, grant.permission) {
        // event                                       from                 becomes
        case (.requestWhenInUse, .notDetermined): .asks(.whenInUse)
        case (.requestAlways, .notDetermined): .asks(.always)
        case (.requestAlways, .whenInUse) where !grant.wasAskedAlways: .asks(.changeToAlways)
        case (.requestWhenInUse, _), (.requestAlways, _): .stays

        case (.requestTemporaryFullAccuracy(let key), let permission)
        where permission.isAuthorized && grant.accuracy == .reduced:
            .asks(.temporaryFullAccuracy(key: key))
        case (.requestTemporaryFullAccuracy, _): .stays

        case (.positionDueInBackground, .provisionalAlways): .asks(.confirmAlways)
        case (.positionDueInBackground, _): .stays

        case (.answer(.whenInUse, .allowOnce), .notDetermined): .becomes(.once)
        case (.answer(.whenInUse, .allowWhileUsing), .notDetermined): .becomes(.whenInUse)
        case (.answer(.whenInUse, .deny), .notDetermined): .becomes(.denied)
        case (.answer(.always, .allowOnce), .notDetermined): .becomes(.once)
        case (.answer(.always, .allowWhileUsing), .notDetermined): .becomes(.provisionalAlways)
        case (.answer(.always, .deny), .notDetermined): .becomes(.denied)
        case (.answer(.changeToAlways, .changeToAlways), .whenInUse): .becomes(.always)
        case (.answer(.changeToAlways, .keepWhileUsing), .whenInUse): .becomes(.whenInUse)
        case (.answer(.confirmAlways, .changeToAlways), .provisionalAlways): .becomes(.always)
        case (.answer(.confirmAlways, .keepWhileUsing), .provisionalAlways): .becomes(.whenInUse)
        case (.answer(.temporaryFullAccuracy, .allow), let permission)
        where permission.isAuthorized && grant.accuracy == .reduced:
            .fullAccuracyForNow
        case (.answer(.temporaryFullAccuracy, .deny), _): .fullAccuracyRefused
        case (.answer, _): .stays

        case (.leftUse, .once), (.restarted, .once): .becomes(.notDetermined)
        case (.leftUse, _), (.restarted, _): .stays

        case (.set(let permission), _): .becomes(permission)
        case (.bindingChanged, _), (.reset, _): .forgotten
        }
    }
}
