import Storage

/// The SQL for subscriptions with alerts and for pending alerts. The text of each case says what its statement does.
enum AlertStatement: String, CaseIterable, NamedStatement {
    case markAllAlertsStale = "mark all subscriptions with alerts as changed"
    case markAlertsStale = "mark the subscriptions with alerts of a container as changed"
    case markAlertsRead = "note that subscriptions with alerts were read"
    case readAlertSubscriptions = "read the subscriptions with alerts of a database"
    case storeAlertSubscription = "store a subscription with an alert"
    case endAlertSubscriptions = "note that subscriptions with alerts may not be listed any more"
    case removeAlertSubscriptions = "remove the subscriptions with alerts of a database that are not listed any more"
    case findEndedAlert = "find a subscription with an alert that has ended for an unknown reason"
    case noteAlertFired = "note that a subscription with an alert has fired"
    case removeEndedAlerts = "remove the subscriptions with alerts that have ended without firing"
    case findFiredAlert = "find a subscription with an alert that has fired"
    case removeFiredAlerts = "remove the subscriptions with alerts that have fired"
    case removeAlertSubscription = "remove a subscription with an alert"
    case storeAlert = "store an alert"
    case explainAlert = "store what an alert says"
    case removeUnexplained = "remove alerts whose text is not known"
    case trimAlerts = "forget the alerts that have not changed for the longest time"
    case stampAlerts = "store when alerts were made"
    case removeOldAlerts = "forget old alerts"
    case findAlert = "find any alert"
    case readAlerts = "read the alerts"
    case reduceAlert = "reduce the number of changes of an alert"
    case removeShownAlert = "remove an alert without changes"
    case removeAlert = "remove an alert"
    case readMuted = "read whose alerts are not wanted"
    case storeMuted = "store that alerts of an app are not wanted"
    case removeMuted = "store that alerts of an app are wanted"

    var sql: String {
        switch self {
        // The three lowest bits of `staleAlerts` are the databases, and the others are the number of the marks.
        case .markAllAlertsStale: "UPDATE containers SET staleAlerts = (staleAlerts | 7) + 8"
        case .markAlertsStale: "UPDATE containers SET staleAlerts = (staleAlerts | 7) + 8 WHERE id = ?"
        case .markAlertsRead:
            "UPDATE containers SET staleAlerts = staleAlerts & ~?2 WHERE id = ?1 AND staleAlerts >> 3 = ?3"
        case .readAlertSubscriptions:
            "SELECT name, subject FROM alertSubscriptions WHERE container = ? AND database = ?"
        case .storeAlertSubscription:
            """
            INSERT INTO alertSubscriptions (container, database, name, subject, state) VALUES (?, ?, ?, ?, 0)
            ON CONFLICT DO UPDATE SET subject = excluded.subject, state = 0
            """
        case .endAlertSubscriptions:
            "UPDATE alertSubscriptions SET state = 1 WHERE container = ? AND database = ? AND state = 0"
        case .removeAlertSubscriptions:
            "DELETE FROM alertSubscriptions WHERE container = ? AND database = ? AND state > 0 AND NOT \(Self.isOnce)"
        case .findEndedAlert: "SELECT 1 FROM alertSubscriptions WHERE container = ? AND state = 1 LIMIT 1"
        case .noteAlertFired:
            """
            UPDATE alertSubscriptions SET state = 2 WHERE container = ? AND database = ? AND name = ? AND \(Self.isOnce)
            """
        case .removeEndedAlerts: "DELETE FROM alertSubscriptions WHERE container = ? AND state = 1"
        case .findFiredAlert:
            "SELECT 1 FROM alertSubscriptions WHERE container = ? AND state = 2 AND database <> 'public' LIMIT 1"
        case .removeFiredAlerts:
            "DELETE FROM alertSubscriptions WHERE container = ? AND state = 2 AND database <> 'public'"
        case .removeAlertSubscription:
            "DELETE FROM alertSubscriptions WHERE container = ? AND database = ? AND name = ?"
        case .storeAlert:
            """
            INSERT INTO alerts (container, database, name, alert, owner, zone, record, count, time)
            VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
            ON CONFLICT (container, database, name) DO UPDATE SET alert = excluded.alert, owner = excluded.owner,
                zone = excluded.zone, record = excluded.record, count = count + 1, time = excluded.time
            """
        case .explainAlert: "UPDATE alerts SET alert = ?4 WHERE container = ?1 AND database = ?2 AND name = ?3"
        case .removeUnexplained: "DELETE FROM alerts WHERE container = ? AND database = ? AND alert IS NULL"
        case .trimAlerts:
            """
            DELETE FROM alerts
            WHERE number NOT IN (SELECT number FROM alerts ORDER BY time IS NULL DESC, time DESC, number DESC LIMIT ?)
            """
        case .stampAlerts: "UPDATE alerts SET time = ? WHERE time IS NULL"
        case .removeOldAlerts: "DELETE FROM alerts WHERE time < ?"
        case .findAlert: "SELECT 1 FROM alerts LIMIT 1"
        case .readAlerts:
            """
            SELECT number, environment, containers.name, database, alerts.name, alert, owner, zone, record, count, time
            FROM alerts JOIN containers ON containers.id = container WHERE alert IS NOT NULL ORDER BY number
            """
        case .reduceAlert: "UPDATE alerts SET count = count - ?2 WHERE number = ?1"
        case .removeShownAlert: "DELETE FROM alerts WHERE number = ? AND count <= 0"
        case .removeAlert: "DELETE FROM alerts WHERE number = ?"
        case .readMuted: "SELECT app FROM mutedApps ORDER BY app"
        case .storeMuted: "INSERT INTO mutedApps (app) VALUES (?) ON CONFLICT (app) DO NOTHING"
        case .removeMuted: "DELETE FROM mutedApps WHERE app = ?"
        }
    }

    /// Whether a row of `alertSubscriptions` is a subscription that ends when it fires.
    private static let isOnce = "coalesce(json_extract(subject, '$.once'), 0)"
}
