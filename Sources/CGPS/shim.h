#ifndef WAYMARK_CGPS_H
#define WAYMARK_CGPS_H
#include <gps.h>
#endif
