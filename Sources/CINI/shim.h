#ifndef WAYMARK_CINI_H
#define WAYMARK_CINI_H
#include <ini.h>
#endif
