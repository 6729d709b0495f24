#ifndef WAYMARK_CGPS_H
#define WAYMARK_CGPS_H

#include <gps.h>
#include <math.h>
#include <string.h>

/* gps_data_t holds arrays that Swift would import as tuples of thousands of elements: what is read from it crosses
 * here in small structures. Numbers that a line lacks are NaN, times that it lacks have has_time 0. */

struct waymark_gps;

/* The bytes that a handle takes; all zero is a fresh one. */
static inline size_t waymark_gps_size(void) { return sizeof(struct gps_data_t); }

/* Reads one line, which must be writable and end with a NUL; what an earlier line left behind is cleared first. */
static inline int waymark_gps_unpack(struct waymark_gps *handle, char *line) {
    struct gps_data_t *data = (struct gps_data_t *)handle;
    data->set = 0;
    data->leap_seconds = 0;
    data->satellites_used = 0;
    data->satellites_visible = 0;
    memset(&data->pps, 0, sizeof data->pps);
    memset(&data->skyview_time, 0, sizeof data->skyview_time);
    memset(&data->dev, 0, sizeof data->dev);
    gps_clear_fix(&data->fix);
    gps_clear_dop(&data->dop);
    return gps_unpack(line, data);
}

struct waymark_gps_time {
    int64_t seconds;
    int64_t nanoseconds;
    int has_time;
};

static inline struct waymark_gps_time waymark_gps_time_from(timespec_t time) {
    struct waymark_gps_time result = {time.tv_sec, time.tv_nsec, time.tv_sec != 0 || time.tv_nsec != 0};
    return result;
}

struct waymark_gps_tpv {
    struct waymark_gps_time time;
    int mode, status, leap_seconds;
    double ept, latitude, longitude, altitude, altitude_hae, altitude_msl;
    double epx, epy, eph, epv, epd, eps, epc, track, speed, climb, magnetic_variation;
};

static inline struct waymark_gps_tpv waymark_gps_tpv(const struct waymark_gps *handle) {
    const struct gps_data_t *data = (const struct gps_data_t *)handle;
    const struct gps_fix_t *fix = &data->fix;
    struct waymark_gps_tpv result = {
        .time = waymark_gps_time_from(fix->time),
        .mode = fix->mode,
        .status = fix->status,
        .leap_seconds = data->leap_seconds,
        .ept = fix->ept,
        .latitude = fix->latitude,
        .longitude = fix->longitude,
        .altitude = fix->altitude,
        .altitude_hae = fix->altHAE,
        .altitude_msl = fix->altMSL,
        .epx = fix->epx,
        .epy = fix->epy,
        .eph = fix->eph,
        .epv = fix->epv,
        .epd = fix->epd,
        .eps = fix->eps,
        .epc = fix->epc,
        .track = fix->track,
        .speed = fix->speed,
        .climb = fix->climb,
        .magnetic_variation = fix->magnetic_var,
    };
    return result;
}

struct waymark_gps_sky {
    struct waymark_gps_time time;
    double hdop, pdop;
    int count;
};

static inline struct waymark_gps_sky waymark_gps_sky(const struct waymark_gps *handle) {
    const struct gps_data_t *data = (const struct gps_data_t *)handle;
    struct waymark_gps_sky result = {
        .time = waymark_gps_time_from(data->skyview_time),
        .hdop = data->dop.hdop,
        .pdop = data->dop.pdop,
        .count = data->satellites_visible,
    };
    if (result.count < 0) result.count = 0;
    if (result.count > MAXCHANNELS) result.count = MAXCHANNELS;
    return result;
}

struct waymark_gps_satellite {
    int prn, gnssid, svid, used;
    double elevation, azimuth, signal;
};

/* The satellite with this index, which must be below the count of the sky. */
static inline struct waymark_gps_satellite waymark_gps_satellite(const struct waymark_gps *handle, int index) {
    const struct satellite_t *from = &((const struct gps_data_t *)handle)->skyview[index];
    struct waymark_gps_satellite result = {
        .prn = from->PRN,
        .gnssid = from->gnssid,
        .svid = from->svid,
        .used = from->used,
        .elevation = from->elevation,
        .azimuth = from->azimuth,
        .signal = from->ss,
    };
    return result;
}

struct waymark_gps_gst {
    struct waymark_gps_time time;
    double rms, major, minor, orientation, latitude, longitude, altitude;
};

static inline struct waymark_gps_gst waymark_gps_gst(const struct waymark_gps *handle) {
    const struct gst_t *from = &((const struct gps_data_t *)handle)->gst;
    struct waymark_gps_gst result = {
        .time = waymark_gps_time_from(from->utctime),
        .rms = from->rms_deviation,
        .major = from->smajor_deviation,
        .minor = from->sminor_deviation,
        .orientation = from->smajor_orientation,
        .latitude = from->lat_err_deviation,
        .longitude = from->lon_err_deviation,
        .altitude = from->alt_err_deviation,
    };
    return result;
}

struct waymark_gps_att {
    struct waymark_gps_time time;
    double heading, pitch, roll, yaw;
    char compass_status;
};

static inline struct waymark_gps_att waymark_gps_att(const struct waymark_gps *handle) {
    const struct attitude_t *from = &((const struct gps_data_t *)handle)->attitude;
    struct waymark_gps_att result = {
        .time = waymark_gps_time_from(from->mtime),
        .heading = from->heading,
        .pitch = from->pitch,
        .roll = from->roll,
        .yaw = from->yaw,
        .compass_status = from->mag_st,
    };
    return result;
}

struct waymark_gps_device {
    struct waymark_gps_time activated;
    double cycle;
};

static inline struct waymark_gps_device waymark_gps_device(const struct waymark_gps *handle) {
    const struct devconfig_t *from = &((const struct gps_data_t *)handle)->dev;
    struct waymark_gps_device result = {
        .activated = waymark_gps_time_from(from->activated),
        .cycle = (double)from->cycle.tv_sec + (double)from->cycle.tv_nsec / 1e9,
    };
    return result;
}

struct waymark_gps_delta {
    struct waymark_gps_time real, clock;
};

static inline struct waymark_gps_delta waymark_gps_pps(const struct waymark_gps *handle) {
    const struct timedelta_t *from = &((const struct gps_data_t *)handle)->pps;
    struct waymark_gps_delta result = {waymark_gps_time_from(from->real), waymark_gps_time_from(from->clock)};
    return result;
}

static inline void waymark_gps_version(const struct waymark_gps *handle, int *major, int *minor) {
    const struct gps_data_t *data = (const struct gps_data_t *)handle;
    *major = data->version.proto_major;
    *minor = data->version.proto_minor;
}

/* The texts of the last line; each ends with a NUL and lives until the next line. */
static inline const char *waymark_gps_device_path(const struct waymark_gps *handle) {
    return ((const struct gps_data_t *)handle)->dev.path;
}
static inline const char *waymark_gps_device_driver(const struct waymark_gps *handle) {
    return ((const struct gps_data_t *)handle)->dev.driver;
}
static inline const char *waymark_gps_version_release(const struct waymark_gps *handle) {
    return ((const struct gps_data_t *)handle)->version.release;
}
static inline const char *waymark_gps_error_message(const struct waymark_gps *handle) {
    return ((const struct gps_data_t *)handle)->error;
}
static inline int waymark_gps_watch_enabled(const struct waymark_gps *handle) {
    return ((const struct gps_data_t *)handle)->policy.watcher;
}

/* Which of its structures the last line filled. */
static inline uint64_t waymark_gps_set(const struct waymark_gps *handle) {
    return ((const struct gps_data_t *)handle)->set;
}

enum { WAYMARK_GPS_MAXIMUM_SATELLITES = MAXCHANNELS };

#endif
