/* Makes calls of the system fail, as a full or a broken disc does: fault_arm says which call, from the how-manieth on.
 * Only files below one folder are concerned. With CLOCK_JUMPS set, the time of day jumps by three years with each look
 * at it. Loaded in front of the C library by LD_PRELOAD. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static char call_name[32], folder[PATH_MAX];
static int failure, left, lasting, seen;

/* From the *after*-th *call* on, which counts from 0, fail with *error*: once, or for ever if it is *lasts*. */
void fault_arm(const char *call, int error, int after, int lasts, const char *where)
{
    snprintf(call_name, sizeof call_name, "%s", call);
    snprintf(folder, sizeof folder, "%s", where);
    failure = error;
    left = after;
    lasting = lasts;
    seen = 0;
}

/* How many of those calls there were since. */
int fault_seen(void)
{
    return seen;
}

static int due(const char *call, const char *path)
{
    if (!failure || strcmp(call, call_name) || strncmp(path, folder, strlen(folder)))
        return 0;
    seen++;
    if (left-- > 0 || (!lasting && left < -1))
        return 0;
    errno = failure;
    return 1;
}

static int due_on(const char *call, int descriptor)
{
    char link[64], path[PATH_MAX];
    if (!failure || strcmp(call, call_name))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return due(call, path);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    REAL(write);
    return due_on("write", descriptor) ? -1 : real(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t at)
{
    REAL(pwrite);
    return due_on("write", descriptor) ? -1 : real(descriptor, bytes, count, at);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at)
{
    REAL(pwrite64);
    return due_on("write", descriptor) ? -1 : real(descriptor, bytes, count, at);
}

ssize_t read(int descriptor, void *bytes, size_t count)
{
    REAL(read);
    return due_on("read", descriptor) ? -1 : real(descriptor, bytes, count);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t at)
{
    REAL(pread64);
    return due_on("read", descriptor) ? -1 : real(descriptor, bytes, count, at);
}

int fsync(int descriptor)
{
    REAL(fsync);
    return due_on("sync", descriptor) ? -1 : real(descriptor);
}

int fdatasync(int descriptor)
{
    REAL(fdatasync);
    return due_on("sync", descriptor) ? -1 : real(descriptor);
}

int ftruncate64(int descriptor, off64_t length)
{
    REAL(ftruncate64);
    return due_on("truncate", descriptor) ? -1 : real(descriptor, length);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return due("rename", to) ? -1 : real(from, to);
}

int unlink(const char *path)
{
    REAL(unlink);
    return due("unlink", path) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    return due("mkdir", path) ? -1 : real(path, mode);
}

#define MODE(flags) mode_t mode = 0; va_list rest; va_start(rest, flags); \
    mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; va_end(rest)

int open(const char *path, int flags, ...)
{
    REAL(open);
    MODE(flags);
    return due("open", path) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    REAL(open64);
    MODE(flags);
    return due("open", path) ? -1 : real(path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int looks;
    REAL(clock_gettime);
    int result = real(clock, now);
    if (clock == CLOCK_REALTIME && getenv("CLOCK_JUMPS"))
        now->tv_sec += looks++ % 2 ? 100000000 : -100000000;
    return result;
}
