#ifndef WAYMARK_CPOSTGRESQL_H
#define WAYMARK_CPOSTGRESQL_H
#include <libpq-fe.h>
#endif
