#ifndef WAYMARK_CSQLITE_H
#define WAYMARK_CSQLITE_H
#include <sqlite3.h>
#endif
