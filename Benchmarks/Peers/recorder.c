// A minimal recorder: SQLite with the journal's settings and tables, fifty rows a transaction, each with the payload
// that the journal gave it, and the recording's counts once a transaction.
//
// recorder JOURNAL DATABASE ROWS ROWS_A_TRANSACTION [SHORTER]: reads payloads from a journal, writes a new database with
// payloads that are SHORTER bytes shorter, and prints the nanoseconds it took, and those of reading all of it, a thousand rows at
// a time.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAYLOADS = 1000 };
static unsigned char payloads[PAYLOADS][128];
static int lengths[PAYLOADS];

static void check(int is_fine, sqlite3 *database) {
    if (is_fine) return;
    fprintf(stderr, "recorder: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static void execute(sqlite3 *database, const char *sql) {
    check(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, database);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) == SQLITE_OK, database);
    return statement;
}

static int take(const char *journal, char *tables, size_t room) {
    sqlite3 *database;
    check(sqlite3_open_v2(journal, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, database);
    sqlite3_stmt *rows = prepare(database, "SELECT payload FROM positions ORDER BY recording, seq LIMIT 1000");
    int count = 0;
    while (count < PAYLOADS && sqlite3_step(rows) == SQLITE_ROW) {
        lengths[count] = sqlite3_column_bytes(rows, 0);
        check(lengths[count] <= 128, database);
        memcpy(payloads[count], sqlite3_column_blob(rows, 0), lengths[count]);
        count++;
    }
    sqlite3_finalize(rows);
    rows = prepare(database, "SELECT group_concat(sql, ';') FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name IN ('positions', 'recordings')");
    check(sqlite3_step(rows) == SQLITE_ROW, database);
    snprintf(tables, room, "%s", (const char *)sqlite3_column_text(rows, 0));
    sqlite3_finalize(rows);
    sqlite3_close(database);
    return count;
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count != 5 && count != 6) return 2;
    static char tables[16384];
    int available = take(arguments[1], tables, sizeof tables);
    if (available == 0) return 1;
    long long rows = atoll(arguments[3]), batch = atoll(arguments[4]);
    if (count == 6)
        for (int which = 0; which < available; which++) lengths[which] -= atoi(arguments[5]);

    sqlite3 *database;
    check(sqlite3_open(arguments[2], &database) == SQLITE_OK, database);
    execute(database,
        "PRAGMA cache_size = -256; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;"
        "PRAGMA secure_delete = ON;"
        "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 1048576;");
    execute(database, tables);
    execute(database, "INSERT INTO recordings (uuid, app, uid, identifier, onRevoke, isStarted, startedAt)"
                      " VALUES ('00000000-0000-4000-8000-000000000000', 'a', 0, 'a', 'erase', 1, 0)");
    sqlite3_stmt *begin = prepare(database, "BEGIN IMMEDIATE"), *commit = prepare(database, "COMMIT");
    sqlite3_stmt *insert = prepare(database, "INSERT INTO positions (recording, seq, payload) VALUES (?,?,?)");
    sqlite3_stmt *update = prepare(database,
        "UPDATE recordings SET last = ?, cursor = ?, floor = ?, kept = ?, waiting = ?, deadLetters = ?, dropped = ?,"
        " bytes = ? WHERE id = 1");

    long long began = now(), sequence = 0, bytes = 0;
    while (sequence < rows) {
        check(sqlite3_step(begin) == SQLITE_DONE, database);
        sqlite3_reset(begin);
        for (long long row = 0; row < batch && sequence < rows; row++) {
            int which = sequence % available;
            sqlite3_bind_int64(insert, 1, 1);
            sqlite3_bind_int64(insert, 2, ++sequence);
            sqlite3_bind_blob(insert, 3, payloads[which], lengths[which], SQLITE_STATIC);
            check(sqlite3_step(insert) == SQLITE_DONE, database);
            sqlite3_reset(insert);
            bytes += lengths[which];
        }
        long long counts[] = {sequence, 0, 0, sequence, sequence, 0, 0, bytes};
        for (int column = 0; column < 8; column++) sqlite3_bind_int64(update, column + 1, counts[column]);
        check(sqlite3_step(update) == SQLITE_DONE, database);
        sqlite3_reset(update);
        check(sqlite3_step(commit) == SQLITE_DONE, database);
        sqlite3_reset(commit);
    }
    printf("%lld\n", now() - began);

    sqlite3_stmt *page = prepare(database,
        "SELECT seq, payload FROM positions WHERE recording = 1 AND seq > ? ORDER BY seq LIMIT 1000");
    began = now();
    long long last = 0, total = 0, before;
    do {
        before = last;
        sqlite3_bind_int64(page, 1, last);
        while (sqlite3_step(page) == SQLITE_ROW) {
            last = sqlite3_column_int64(page, 0);
            const unsigned char *payload = sqlite3_column_blob(page, 1);
            total += payload[0] + sqlite3_column_bytes(page, 1);
        }
        sqlite3_reset(page);
    } while (last != before);
    check(last == rows && total > 0, database);
    printf("%lld\n", now() - began);
    return 0;
}
