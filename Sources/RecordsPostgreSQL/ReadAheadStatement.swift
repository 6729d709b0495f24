/// The statements that read ahead. They find zones and databases by their names, because no number is known yet.
enum ReadAheadStatement: String, CaseIterable {
    case tokens = "read ahead devices of tokens"
    case answers = "read ahead answers"
    case zone = "read ahead a zone"
    case participants = "read ahead participants"
    case records = "read ahead records"
    case database = "read ahead a database"
    case listing = "read ahead a listed zone"
    case subscriptions = "read ahead subscriptions"

    /// The statement.
    var sql: String {
        switch self {
        case .tokens: "SELECT account, device, token, joined FROM accountDevices WHERE token = ANY($1)"
        case .answers:
            """
            SELECT asked.number, digest, answer, time
            FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
                AS asked (container, account, device, request, number)
            CROSS JOIN LATERAL (
                SELECT digest, answer, time FROM answers
                WHERE container = asked.container AND account = asked.account AND device = asked.device
                    AND request = asked.request
                OFFSET 0
            ) AS found
            """
        case .zone:
            """
            SELECT incarnation, counter, removedThrough, hierarchy, number FROM zones
            WHERE container = $1 AND owner = $2 AND name = $3
            """
        case .participants:
            """
            SELECT account, permission, hasAccepted, record FROM participants
            WHERE zone = (SELECT number FROM zones WHERE container = $1 AND owner = $2 AND name = $3)
            """
        // Beyond so many bytes a record is named only.
        case .records:
            """
            SELECT name, counter, type, deleted, CASE WHEN bytes <= $4::bigint THEN content END,
                CASE WHEN bytes <= $4::bigint THEN previous END, parent, bytes <= $4::bigint
            FROM (
                SELECT stored.*, (sum(coalesce(length(content), 0)::bigint + coalesce(length(previous), 0)::bigint)
                    OVER (ROWS UNBOUNDED PRECEDING))::bigint AS bytes
                FROM (SELECT number FROM zones WHERE container = $1 AND owner = $2 AND name = $3) AS place
                CROSS JOIN unnest($5::text[]) AS asked (name)
                CROSS JOIN LATERAL (
                    SELECT name, counter, type, deleted, content, previous, parent FROM records
                    WHERE zone = place.number AND name = asked.name
                    OFFSET 0
                ) AS stored
            ) AS found
            """
        case .database:
            """
            SELECT counter, removedThrough, zones, number FROM databases
            WHERE container = $1 AND kind = $2 AND account = $3
            """
        case .listing:
            """
            SELECT owner, name, position, isPresent, deletedAt, reason, deletionTime FROM feed
            WHERE database = (SELECT number FROM databases WHERE container = $1 AND kind = $2 AND account = $3)
                AND owner = $4 AND name = $5
            """
        case .subscriptions:
            """
            SELECT name, owner, zone, query FROM subscriptions
            WHERE database = (SELECT number FROM databases WHERE container = $1 AND kind = $2 AND account = $3)
            """
        }
    }
}
