import Location

/// The table of transitions: the effect of every event on the stored grant of an app. Nothing else changes a
/// permission.
///
/// `Policy` checks the other conditions: a manifest with the purpose, location services, restrictions, and being in
/// use.
enum Transitions {
    /// The event.
    enum Trigger: Equatable {
        case requestWhenInUse, requestAlways
        case requestTemporaryFullAccuracy(key: String)
        case positionDueInBackground
        case answer(Prompt.Kind, PromptChoice)
        case leftUse, restarted, bindingChanged
        case set(Permission)
        case reset
    }

    /// Its effect.
    enum Outcome: Equatable {
        /// No change; the reply contains the present status.
        case stays
        /// A prompt is raised.
        case asks(Prompt.Kind)
        /// The permission is set.
        case becomes(Permission)
        /// Temporary full accuracy, until the app is no longer in use. The stored grant is unchanged.
        case fullAccuracyForNow
        /// The accuracy remains reduced, and the reply reports that full accuracy was refused.
        case fullAccuracyRefused
        /// The grant is reset, as if the app had never made a request.
        case forgotten
    }

    /// A row of the table. A dismissed prompt has none, because it changes nothing.
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
