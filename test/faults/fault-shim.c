/*
 * Preloaded into a process that writes a database: makes syncs and writes of its files fail when told to, and keeps what
 * a power cut would leave after each sync.
 *
 * FAULT_SYNC_FILE  end of the name of the file whose syncs fail, from FAULT_SYNC_FROM to FAULT_SYNC_TO (counted from 1)
 * FAULT_FULL_AFTER bytes that fit into the files of the database; then the disk is full
 * FAULT_RECORD     folder for a copy of the file after each sync: NUMBER-(new|db|wal)-BYTES, `new` being the
 *                  database before it has its name, BYTES what had been printed before the sync
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int ends_with(int fd, const char *end) {
  char link[64], name[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, sizeof name - 1);
  size_t wanted = strlen(end);
  return length >= (ssize_t)wanted && memcmp(name + length - wanted, end, wanted) == 0;
}

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : LONG_MAX;
}

static int fails(int fd) {
  static long seen = 0;
  const char *end = getenv("FAULT_SYNC_FILE");
  if (!end || !ends_with(fd, end)) return 0;
  seen++;
  return seen >= number("FAULT_SYNC_FROM") && seen <= number("FAULT_SYNC_TO");
}

static long printed(void) {
  struct stat out;
  return fstat(1, &out) == 0 ? (long)out.st_size : 0;
}

/* Reads through the descriptor that is open: closing another one of the same file would drop SQLite's locks. */
static void keep(int fd, long before) {
  static int count = 0;
  const char *folder = getenv("FAULT_RECORD");
  const char *kind = ends_with(fd, "/threads.db-wal")  ? "wal"
                     : ends_with(fd, "/threads.db")     ? "db"
                     : ends_with(fd, "/threads.db.new") ? "new"
                                                        : NULL;
  if (!folder || !kind) return;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%06d-%s-%ld", folder, count++, kind, before);
  int copy = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  char block[65536];
  ssize_t got;
  for (off_t at = 0; (got = pread(fd, block, sizeof block, at)) > 0; at += got)
    if (write(copy, block, got) != got) abort();
  close(copy);
}

static int sync_by(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (fails(fd)) {
    errno = EIO;
    return -1;
  }
  long before = printed();
  int result = real(fd);
  if (result == 0) keep(fd, before);
  return result;
}

int fsync(int fd) { return sync_by("fsync", fd); }

int fdatasync(int fd) { return sync_by("fdatasync", fd); }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  static long written = 0;
  ssize_t (*real)(int, const void *, size_t, off64_t) =
      (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  if (ends_with(fd, "/threads.db") || ends_with(fd, "/threads.db-wal")) {
    written += length;
    if (written > number("FAULT_FULL_AFTER")) {
      errno = ENOSPC;
      return -1;
    }
  }
  return real(fd, bytes, length, at);
}
