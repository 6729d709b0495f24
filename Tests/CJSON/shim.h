#ifndef WAYMARK_CJSON_H
#define WAYMARK_CJSON_H
#include <json-c/json.h>
#endif
