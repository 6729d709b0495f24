/// The notifications of alerts on a desktop. Each subscription has at most one. If further changes match the subscription, another
/// notification replaces it and says how many changes there were together.
struct DesktopAlerts {
    private struct Card {
        let tag: Int
        /// The number of the notification; nil until the service has assigned it.
        var number: UInt32?
        let alert: AlertNotice
        /// The changes that it stands for, also those of the notification that it replaces.
        let count: Int64
    }

    /// The most notifications at a time. With more, the earliest one is closed.
    static let most = 16

    /// The notifications, in the order in which they were last shown.
    private var cards: [Card] = []

    /// Whether a notification has no number yet: further alerts wait until then, so that no change is shown twice.
    var isBusy: Bool { cards.contains { $0.number == nil } }

    /// Returns the effects that show these alerts: a notification for each, and the end of the earliest ones if there are too many.
    mutating func effects(
        _ alerts: [AlertNotice], for preference: LanguagePreference, tag: inout Int
    ) -> [DesktopDialogue.Effect] {
        var effects: [DesktopDialogue.Effect] = []
        for alert in alerts.prefix(Self.most) {
            let former = cards.firstIndex { $0.alert.subscription == alert.subscription }.map { cards.remove(at: $0) }
            let count = alert.count + (former?.count ?? 0)
            tag += 1
            cards.append(Card(tag: tag, alert: alert, count: count))
            effects.append(
                .show(tag: tag, alert.notification(count, for: preference), replacing: former?.number))
        }
        while cards.count > Self.most {
            if let number = cards.removeFirst().number { effects.append(.close(number)) }
        }
        return effects
    }

    /// Records the number of a notification; nil where the tag belongs to another one.
    mutating func shown(_ tag: Int, as number: UInt32) -> [DesktopDialogue.Effect]? {
        guard let index = cards.firstIndex(where: { $0.tag == tag }) else { return nil }
        cards[index].number = number
        return [.acknowledge(cards[index].alert.number, cards[index].alert.count)]
    }

    /// Records that a notification could not be shown; returns whether it was one of an alert.
    mutating func notShown(_ tag: Int) -> Bool {
        let count = cards.count
        cards.removeAll { $0.tag == tag }
        return cards.count < count
    }

    /// Records that a notification was closed: further changes are shown in a new one.
    mutating func closed(_ number: UInt32) { cards.removeAll { $0.number == number } }
}
