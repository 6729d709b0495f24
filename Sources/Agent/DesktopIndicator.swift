import Interfaces

/// The one notification that lists the apps that use the location in the background. It is replaced in place.
struct DesktopIndicator {
    private var holders = Holders()
    private var card: DesktopDialogue.Card?
    /// The lines last passed to the notification service.
    private var sent: [String] = []
    /// The lines that the notification should have.
    private var wanted: [String] = []
    private var title = ""

    /// Records the current apps, and returns all of them.
    mutating func update(_ holds: [AgentMessage.Hold]) -> [AgentMessage.Hold] {
        _ = holders.update(holds)
        return holders.apps
    }

    /// The effects that give the notification this title and these lines, or close it without lines. Another title alone
    /// changes nothing.
    mutating func effects(_ title: String, _ lines: [String], tag: inout Int) -> [DesktopDialogue.Effect] {
        self.title = title
        wanted = lines
        guard wanted != sent else { return [] }
        // A notification without a number cannot be replaced yet: `shown` calls this again.
        if let card, card.number == nil { return [] }
        guard !lines.isEmpty else { return close() }
        tag += 1
        let replaced = card?.number
        card = DesktopDialogue.Card(tag: tag)
        sent = lines
        let notification = DesktopNotification(summary: title, lines: lines, buttons: [])
        return [.show(tag: tag, notification, replacing: replaced)]
    }

    /// Records the notification's number; nil where the tag belongs to another notification.
    mutating func shown(_ tag: Int, as number: UInt32, lastTag: inout Int) -> [DesktopDialogue.Effect]? {
        guard card?.tag == tag else { return nil }
        card?.number = number
        return effects(title, wanted, tag: &lastTag)
    }

    /// Records that the notification could not be shown: it is tried again when the list of apps changes.
    mutating func notShown(_ tag: Int) {
        if card?.tag == tag { card = nil }
    }

    /// Records that the person closed the notification: it is shown again when the list of apps changes.
    mutating func closed(_ number: UInt32) {
        if card?.number == number { card = nil }
    }

    /// The effects that remove the notification.
    mutating func close() -> [DesktopDialogue.Effect] {
        defer {
            card = nil
            sent = []
        }
        return card?.number.map { [.close($0)] } ?? []
    }
}
