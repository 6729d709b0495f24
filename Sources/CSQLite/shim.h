#ifndef WAYMARK_CSQLITE_H
#define WAYMARK_CSQLITE_H
#include <sqlite3.h>

/// sqlite3_bind_text with SQLITE_TRANSIENT, a cast that Swift cannot import: SQLite copies the text.
static inline int waymark_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// sqlite3_bind_blob64 with SQLITE_TRANSIENT: SQLite copies the bytes.
static inline int waymark_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// sqlite3_db_config, which is variadic, for the options that are a switch.
static inline int waymark_database_switch(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}

/// A file of a SQLite file system that stands before another one. The other one's file follows in the same memory.
struct waymark_sealed_file {
    sqlite3_file base;
    void *state;
};

/// sqlite3_file_control for SQLITE_FCNTL_RESERVE_BYTES: how many bytes at the end of each page a new database leaves free.
static inline int waymark_reserve_bytes(sqlite3 *database, int bytes) {
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}
#endif
