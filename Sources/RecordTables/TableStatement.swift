/// What the engines do with their tables, and the SQL that is the same for all of them. Documentation/sync.md describes the
/// tables. Parameters are question marks; an engine writes them as its database wants them.
///
/// Every statement finds its rows by a key or an index; tests compare the plan of each with that.
public enum TableStatement: String, CaseIterable, Sendable {
    case readDeviceOfToken = "read the device of a token"
    case readAccountDevices = "read the devices of an account"
    case readAllDevices = "read all devices"
    case storeAccountDevice = "store a device of an account"
    case removeAccountDevice = "remove a device of an account"
    case readContainers = "read the containers of a device"
    case readInvitationOfCode = "read the invitation of a code"
    case readInvitations = "read the invitations to an account"
    case readAllInvitations = "read all invitations"
    case storeInvitation = "store an invitation"
    case removeInvitation = "remove an invitation"

    case readType = "read a type"
    case findType = "find a type"
    case readTypes = "read the types of a container"
    case storeType = "store a type"
    case removeType = "remove a type"
    case readUnfilledTypes = "read the types whose indexes are not filled"
    case readTeam = "read the team of a container"
    case storeMember = "store a member of a team"
    case removeMember = "remove a member of a team"

    case readDatabase = "read a database"
    case findDatabase = "find a database"
    case addDatabase = "add a database"
    case storeDatabase = "store a database"
    case readZone = "read a zone"
    case findZone = "find a zone"
    case findNextZone = "find the next zone of a container"
    case addZone = "add a zone"
    case storeZone = "store a zone"
    case removeZone = "remove a zone"
    case removeRecords = "remove the records of a zone"
    case removeZoneEntries = "remove the index entries of a zone"
    case removeParticipants = "remove the participants of a zone"
    case readListedZone = "read a listed zone"
    case readList = "read a list of zones"
    case storeListedZone = "list a zone"
    case removeListedZone = "remove a zone from a list"

    case readParticipants = "read participants"
    case readAccountParticipants = "read the participants of an account"
    case readSharedZones = "read the zones shared with an account"
    case storeParticipant = "store a participant"
    case removeParticipant = "remove a participant"

    case readRecord = "read a record"
    case readChildren = "read the children of a record"
    case readParent = "read the parent of a record"
    case storeRecord = "store a record"
    case readChanges = "read changes"
    case readWrittenChanges = "read changes for a page"
    case removeDeletion = "remove a deletion"

    case addEntry = "add an entry to an index"
    case removeEntry = "remove an entry from an index"
    case removeIndex = "remove an index"
    case readEntries = "read the records of an index"
    case readEntriesBackwards = "read the records of an index backwards"

    case readAssets = "read the rows of an asset"
    case readUploads = "count the uploads of an account"
    case addAsset = "add an asset"
    case storeAsset = "store an asset"
    case discardAsset = "discard an asset"
    case discardAssets = "discard the assets of a zone"
    case addAssetUse = "add a use of an asset"
    case removeAssetUse = "remove a use of an asset"
    case removeAssetUses = "remove the uses of a zone's assets"
    case findAssetUse = "find a use of an asset"
    case readOldUploads = "read old uploads"
    case readDiscarded = "read discarded assets"
    case removeAsset = "remove an asset"

    case readAnswer = "read an answer"
    case storeAnswer = "store an answer"

    case readSubscriptions = "read subscriptions"
    case storeSubscription = "store a subscription"
    case removeSubscription = "remove a subscription"
    case readPublicSubscriptions = "read the public subscriptions of an account"
    case findSubscriber = "find a public subscription to a type"
    case readSubscribers = "read the public subscriptions to a type that require a value"
    case storePublicSubscription = "store a public subscription"
    case removePublicSubscription = "remove a public subscription"
    case readDevices = "read devices"
    case storeDevice = "store a device"
    case removeDevice = "remove a device"
    case readPushes = "read pushes"
    case storePush = "store a push"
    case removePush = "remove a push"
    case removePushes = "remove the pushes of a device"

    case readOldDeletions = "read old deletions"
    case readOldListedZones = "read old deletions of zones"
    case removeOldAnswers = "remove old answers"

    /// The statement, in the SQL that all databases understand.
    public var sql: String {
        switch self {
        case .readDeviceOfToken: "SELECT account, device, token, joined FROM accountDevices WHERE token = ?"
        case .readAccountDevices:
            "SELECT account, device, token, joined FROM accountDevices WHERE account = ?"
        case .readAllDevices:
            """
            SELECT account, device, token, joined FROM accountDevices
            WHERE (account, device) > (?, ?) ORDER BY account, device LIMIT ?
            """
        case .storeAccountDevice:
            """
            INSERT INTO accountDevices (account, device, token, joined) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, device) DO UPDATE SET token = excluded.token, joined = excluded.joined
            """
        case .removeAccountDevice: "DELETE FROM accountDevices WHERE account = ? AND device = ?"
        case .readContainers: "SELECT container FROM devices WHERE account = ? AND device = ?"
        case .readInvitationOfCode: "SELECT account, device, code, expires FROM invitations WHERE code = ?"
        case .readInvitations:
            "SELECT account, device, code, expires FROM invitations WHERE account = ?"
        case .readAllInvitations:
            """
            SELECT account, device, code, expires FROM invitations
            WHERE (account, device) > (?, ?) ORDER BY account, device LIMIT ?
            """
        case .storeInvitation:
            """
            INSERT INTO invitations (account, device, code, expires) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, device) DO UPDATE SET code = excluded.code, expires = excluded.expires
            """
        case .removeInvitation: "DELETE FROM invitations WHERE account = ? AND device = ?"
        case .readType: "SELECT definition, unfilled FROM recordTypes WHERE container = ? AND name = ?"
        case .findType: "SELECT name FROM recordTypes WHERE container = ? LIMIT 1"
        case .readTypes: "SELECT definition, unfilled FROM recordTypes WHERE container = ?"
        case .readUnfilledTypes:
            """
            SELECT definition, unfilled, container FROM recordTypes
            WHERE unfilled IS NOT NULL AND container > '' ORDER BY container, name LIMIT ?
            """
        case .storeType:
            """
            INSERT INTO recordTypes (container, name, definition, unfilled) VALUES (?, ?, ?, ?)
            ON CONFLICT (container, name) DO UPDATE SET
                definition = excluded.definition, unfilled = excluded.unfilled
            """
        case .removeType: "DELETE FROM recordTypes WHERE container = ? AND name = ?"
        case .readTeam: "SELECT account, rights, isAgent FROM teams WHERE container = ?"
        case .storeMember:
            """
            INSERT INTO teams (container, account, rights, isAgent) VALUES (?, ?, ?, ?)
            ON CONFLICT (container, account) DO UPDATE SET rights = excluded.rights, isAgent = excluded.isAgent
            """
        case .removeMember: "DELETE FROM teams WHERE container = ? AND account = ?"
        case .readDatabase:
            "SELECT counter, removedThrough, zones FROM databases WHERE container = ? AND kind = ? AND account = ?"
        case .findDatabase: "SELECT number FROM databases WHERE container = ? AND kind = ? AND account = ?"
        case .addDatabase: "INSERT INTO databases (container, kind, account) VALUES (?, ?, ?) RETURNING number"
        case .storeDatabase:
            """
            INSERT INTO databases (container, kind, account, counter, removedThrough, zones) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, kind, account) DO UPDATE SET
                counter = excluded.counter, removedThrough = excluded.removedThrough, zones = excluded.zones
            """
        case .readZone:
            "SELECT incarnation, counter, removedThrough, hierarchy FROM zones WHERE container = ? AND owner = ? AND name = ?"
        case .findZone: "SELECT number FROM zones WHERE container = ? AND owner = ? AND name = ?"
        case .findNextZone:
            """
            SELECT owner, name FROM zones
            WHERE container = ? AND (owner, name) > (?, ?) ORDER BY owner, name LIMIT 1
            """
        case .addZone: "INSERT INTO zones (container, owner, name) VALUES (?, ?, ?) RETURNING number"
        case .storeZone:
            """
            INSERT INTO zones (container, owner, name, incarnation, counter, removedThrough, hierarchy)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, owner, name) DO UPDATE SET
                incarnation = excluded.incarnation, counter = excluded.counter,
                removedThrough = excluded.removedThrough, hierarchy = excluded.hierarchy
            """
        case .removeZone: "DELETE FROM zones WHERE number = ?"
        case .removeRecords: "DELETE FROM records WHERE zone = ?"
        case .removeZoneEntries: "DELETE FROM entries WHERE zone = ?"
        case .removeParticipants: "DELETE FROM participants WHERE zone = ?"
        case .readListedZone:
            """
            SELECT owner, name, position, isPresent, deletedAt, reason, deletionTime FROM feed
            WHERE database = ? AND owner = ? AND name = ?
            """
        case .readList:
            """
            SELECT owner, name, position, isPresent, deletedAt, reason, deletionTime FROM feed
            WHERE database = ? AND position > ? ORDER BY position LIMIT ?
            """
        case .storeListedZone:
            """
            INSERT INTO feed (database, owner, name, position, isPresent, deletedAt, reason, deletionTime)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (database, owner, name) DO UPDATE SET
                position = excluded.position, isPresent = excluded.isPresent, deletedAt = excluded.deletedAt,
                reason = excluded.reason, deletionTime = excluded.deletionTime
            """
        case .removeListedZone: "DELETE FROM feed WHERE database = ? AND owner = ? AND name = ?"
        case .readParticipants: "SELECT account, permission, hasAccepted, record FROM participants WHERE zone = ?"
        case .readAccountParticipants:
            "SELECT account, permission, hasAccepted, record FROM participants WHERE zone = ? AND account = ?"
        case .readSharedZones:
            """
            SELECT p.account, p.permission, p.hasAccepted, p.record, z.container, z.owner, z.name
            FROM participants AS p JOIN zones AS z ON z.number = p.zone
            WHERE p.account = ? AND z.container = ?
            """
        case .storeParticipant:
            """
            INSERT INTO participants (zone, account, permission, hasAccepted, record) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (zone, account, record) DO UPDATE SET
                permission = excluded.permission, hasAccepted = excluded.hasAccepted
            """
        case .removeParticipant: "DELETE FROM participants WHERE zone = ? AND account = ? AND record = ?"
        case .readRecord:
            "SELECT name, counter, type, deleted, content, previous, parent FROM records WHERE zone = ? AND name = ?"
        case .readChildren: "SELECT name, deleted FROM records WHERE zone = ? AND parent = ?"
        case .readParent:
            "SELECT parent FROM records WHERE zone = ? AND name = ? AND deleted IS NULL AND parent IS NOT NULL"
        case .storeRecord:
            """
            INSERT INTO records (zone, name, counter, type, deleted, content, previous, parent)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (zone, name) DO UPDATE SET
                counter = excluded.counter, type = excluded.type, deleted = excluded.deleted,
                content = excluded.content, previous = excluded.previous, parent = excluded.parent
            """
        case .readChanges:
            """
            SELECT name, counter, type, deleted, content, previous, parent FROM records
            WHERE zone = ? AND counter > ? AND (deleted IS NULL OR counter > ?) ORDER BY counter
            """
        case .readWrittenChanges:
            """
            SELECT name, counter, type, deleted, content FROM records
            WHERE zone = ? AND counter > ? AND (deleted IS NULL OR counter > ?) ORDER BY counter
            """
        case .removeDeletion: "DELETE FROM records WHERE zone = ? AND name = ? AND deleted IS NOT NULL"
        case .addEntry:
            """
            INSERT INTO entries (zone, field, key, record) VALUES (?, ?, ?, ?)
            ON CONFLICT (zone, field, key, record) DO NOTHING
            """
        case .removeEntry: "DELETE FROM entries WHERE zone = ? AND field = ? AND key = ? AND record = ?"
        case .removeIndex:
            "DELETE FROM entries WHERE field = ? AND zone IN (SELECT number FROM zones WHERE container = ?)"
        case .readEntries:
            """
            SELECT e.key, r.name, r.content FROM entries AS e JOIN records AS r ON r.zone = e.zone AND r.name = e.record
            WHERE e.zone = ? AND e.field = ? AND (e.key, e.record) > (?, ?) AND e.key < ?
            ORDER BY e.key, e.record LIMIT ?
            """
        case .readEntriesBackwards:
            """
            SELECT e.key, r.name, r.content FROM entries AS e JOIN records AS r ON r.zone = e.zone AND r.name = e.record
            WHERE e.zone = ? AND e.field = ? AND (e.key, e.record) < (?, ?) AND e.key >= ?
            ORDER BY e.key DESC, e.record DESC LIMIT ?
            """
        case .readAssets:
            """
            SELECT number, digest, size, account, received, state, time FROM assets WHERE zone = ? AND digest = ?
            """
        case .readUploads:
            """
            SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM assets
            WHERE account = ? AND account <> '' AND zone IS NOT NULL
            """
        case .addAsset:
            """
            INSERT INTO assets (zone, digest, size, account, received, state, time) VALUES (?, ?, ?, ?, ?, ?, ?)
            RETURNING number
            """
        case .storeAsset: "UPDATE assets SET account = ?, received = ?, state = ?, time = ? WHERE number = ?"
        case .discardAsset: "UPDATE assets SET zone = NULL, state = NULL WHERE number = ?"
        case .discardAssets: "UPDATE assets SET zone = NULL, state = NULL WHERE zone = ?"
        case .addAssetUse:
            """
            INSERT INTO assetUses (zone, digest, record) VALUES (?, ?, ?) ON CONFLICT (zone, digest, record) DO NOTHING
            """
        case .removeAssetUse: "DELETE FROM assetUses WHERE zone = ? AND digest = ? AND record = ?"
        case .removeAssetUses: "DELETE FROM assetUses WHERE zone = ?"
        case .findAssetUse: "SELECT digest FROM assetUses WHERE zone = ? AND digest = ? LIMIT 1"
        case .readOldUploads:
            """
            SELECT a.number, a.digest, a.size, a.account, a.received, a.state, a.time, z.container, z.owner, z.name
            FROM assets AS a JOIN zones AS z ON z.number = a.zone
            WHERE a.account <> '' AND a.zone IS NOT NULL AND a.time < ? ORDER BY a.time LIMIT ?
            """
        case .readDiscarded:
            """
            SELECT number, digest, size, account, received, state, time FROM assets
            WHERE zone IS NULL ORDER BY zone, number LIMIT ?
            """
        case .removeAsset: "DELETE FROM assets WHERE number = ?"
        case .readAnswer:
            """
            SELECT digest, answer, time FROM answers
            WHERE container = ? AND account = ? AND device = ? AND request = ?
            """
        case .storeAnswer:
            """
            INSERT INTO answers (container, account, device, request, digest, answer, time) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, account, device, request) DO UPDATE SET
                digest = excluded.digest, answer = excluded.answer, time = excluded.time
            """
        case .readSubscriptions: "SELECT name, owner, zone, query FROM subscriptions WHERE database = ?"
        case .storeSubscription:
            """
            INSERT INTO subscriptions (database, name, owner, zone, query) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (database, name) DO UPDATE SET
                owner = excluded.owner, zone = excluded.zone, query = excluded.query
            """
        case .readPublicSubscriptions:
            """
            SELECT name, NULL, NULL, query, account FROM publicSubscriptions WHERE container = ? AND account = ?
            """
        case .findSubscriber: "SELECT name FROM publicSubscriptions WHERE container = ? AND type = ? LIMIT 1"
        case .readSubscribers:
            """
            SELECT name, NULL, NULL, query, account FROM publicSubscriptions
            WHERE container = ? AND type = ? AND field = ? AND key = ?
            """
        case .storePublicSubscription:
            """
            INSERT INTO publicSubscriptions (container, account, name, type, query, field, key)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, account, name) DO UPDATE SET
                type = excluded.type, query = excluded.query, field = excluded.field, key = excluded.key
            """
        case .removePublicSubscription:
            "DELETE FROM publicSubscriptions WHERE container = ? AND account = ? AND name = ?"
        case .removeSubscription: "DELETE FROM subscriptions WHERE database = ? AND name = ?"
        case .readDevices: "SELECT device FROM devices WHERE container = ? AND account = ? ORDER BY device"
        case .storeDevice:
            """
            INSERT INTO devices (container, account, device) VALUES (?, ?, ?)
            ON CONFLICT (container, account, device) DO NOTHING
            """
        case .removeDevice: "DELETE FROM devices WHERE container = ? AND account = ? AND device = ?"
        case .readPushes:
            """
            SELECT owner, zone, kind, holder, position, subscription, container FROM pushes
            WHERE account = ? AND device = ? LIMIT ?
            """
        case .storePush:
            """
            INSERT INTO pushes (container, account, device, owner, zone, subscription, kind, holder, position)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, account, device, owner, zone, subscription) DO UPDATE SET
                kind = excluded.kind, holder = excluded.holder, position = excluded.position
            """
        case .removePush:
            """
            DELETE FROM pushes
            WHERE container = ? AND account = ? AND device = ? AND owner = ? AND zone = ? AND subscription = ?
                AND position <= ?
            """
        case .removePushes: "DELETE FROM pushes WHERE container = ? AND account = ? AND device = ?"
        case .readOldDeletions:
            """
            SELECT z.container, z.owner, z.name, r.name FROM records AS r JOIN zones AS z ON z.number = r.zone
            WHERE r.deleted < ? ORDER BY r.deleted LIMIT ?
            """
        case .readOldListedZones:
            """
            SELECT d.container, d.kind, d.account, f.owner, f.name
            FROM feed AS f JOIN databases AS d ON d.number = f.database
            WHERE f.isPresent = 0 AND f.deletionTime < ? ORDER BY f.deletionTime LIMIT ?
            """
        case .removeOldAnswers:
            "DELETE FROM answers WHERE number IN (SELECT number FROM answers WHERE time < ? ORDER BY time LIMIT ?)"
        }
    }
}
