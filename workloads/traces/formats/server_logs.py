"""Reads logs of servers as requests for objects by key: of S3, web servers, Redis (MONITOR) and memcached (watch).

Sources: "Amazon S3 server access log format"; the Combined Log Format of Apache, which nginx writes too; MONITOR in
Redis's documentation; "Watchers" in memcached's protocol.txt.
"""

import re
from datetime import datetime
from functools import lru_cache

from spindle.workloads.traces.formats.events import Event, Reading, groups, line_format, tool_format
from spindle.workloads.traces.operations import MEANINGS

MAX_SIZES = 1 << 18
"""Most objects whose last size is kept, because an answer "not changed" (304) does not repeat it."""
NOT_CHANGED, FAILED = "304", ("4", "5")
"""The status of an object that has not changed, and the first digits of those of failures."""
LOG_DATE = r"\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [-+]\d{4})\]"
# Patterns of lines: S3's access log, and web servers' Combined Log Format.
S3 = re.compile(rf'\S{{1,128}} (\S{{1,255}}) {LOG_DATE} \S+ \S+ \S+ ([A-Z]+\.[A-Z._]+) (\S{{1,3072}}) (?:"[^"]*"|-) '
                r"(\d{3}|-) \S+ (\d{1,18}|-) (\d{1,18}|-) ").match  # fmt: skip
WEB = re.compile(rf'"?([^\[\]"]{{5,600}}) {LOG_DATE} "((?:[^"\\]|\\.){{0,16384}}+)" '
                 r"(\d{3}) {1,9}(\d{1,18}|-)").match  # fmt: skip
ERROR = re.compile(r"(?:\S{1,64} {0,99}\| {0,99})?(?:\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[a-z]{1,9}\] "
                   r"|/docker-entrypoint\.sh: |\d\d-[\w.-]{1,64}\.sh: )").match  # fmt: skip
"""Matches an error or a start-up message of nginx, which containers print between the lines of requests."""
VHOST = re.compile(r"(?=[^ ]*[A-Za-z])([\w-]+(?:\.[\w-]+)+|[\w-]+(?=:))(?::\d{1,5})? \S+ \S+ \S+", re.ASCII).fullmatch
"""Matches what stands before the date where the name of a host comes first, as in Apache's vhost_combined."""
ASKED = re.compile(r"([A-Z]{3,10}) (\S.*?)(?: HTTP/[\d.]+)?").fullmatch
WEB_OPS = {"GET": "get", "PUT": "put", "DELETE": "delete", "PURGE": "delete"}


@lru_cache(maxsize=4096)
def _seconds(date: str) -> str:
    return str(int(datetime.strptime(date, "%d/%b/%Y:%H:%M:%S %z").timestamp()))


def s3_log(line: str) -> Event | None:
    """S3's access log: objects are ``bucket/key``; requests that failed or that are for a bucket are passed over."""
    bucket, date, op, key, status, sent, size = groups(S3(line))
    if key == "-":
        return None
    failed = status.startswith(FAILED)
    length = next((each for each in (size, sent) if each != "-"), "")
    return Event(status if failed else op, "", "0", length, _seconds(date), keys=(f"{bucket}/{key}",),
                 skip=failed or op.lower() not in MEANINGS)  # fmt: skip


def web_log() -> Reading:
    """A web server's log: objects are paths with their queries, behind the host if it comes first; containers put their
    names before a line. An answer "not changed" has no size, and takes the last one of its path.
    """
    sizes = dict[str, str]()

    def read(line: str) -> Event | None:
        match = WEB(line)
        if match is None and ERROR(line):
            return None
        before, date, line, status, size = groups(match)
        asked, host = ASKED(line), VHOST(before)
        if asked is None:
            return None
        method, path = asked.groups()
        path = host[1] + path if host else path
        if status.startswith(FAILED):
            return Event(status, "", "0", size.replace("-", ""), _seconds(date), keys=(path,), skip=True)
        if status == NOT_CHANGED:
            size = sizes.get(path, "-")
        elif method == "GET":
            sizes[path] = size
            if len(sizes) > MAX_SIZES:
                del sizes[next(iter(sizes))]
        return Event(WEB_OPS.get(method, method), "", "0", size.replace("-", ""), _seconds(date), keys=(path,),
                     skip=method not in WEB_OPS)  # fmt: skip

    return read


REDIS = re.compile(r'\+?(\d{1,12}\.\d{1,9}) (?:\[(\d{1,6})(?: [^ ]{1,200})?\] |(?:\(db (\d{1,6})\) )?)'
                   r'"((?:[^"\\]|\\.){1,40})"(.*)').fullmatch
ARGUMENT = re.compile(r' "((?:[^"\\]|\\.)*+)"')
ONE_KEY = {
    "get": "get getrange getbit getex strlen hget hgetall hmget hkeys hvals hlen hexists lrange lindex llen smembers "
           "sismember scard zrange zscore zcard zrank zrangebyscore xrange xlen bitcount",
    "set": "set setex psetex setnx getset append setrange setbit incr decr incrby decrby incrbyfloat hset hmset hsetnx "
           "hincrby hdel lpush rpush lpop rpop lset ltrim lrem sadd srem spop zadd zrem zincrby xadd xtrim pfadd",
}  # fmt: skip
SEVERAL_KEYS = {"get": "mget exists touch", "delete": "del unlink getdel"}
PAIRS = {"set": "mset msetnx"}
REDIS_OPS = {word: (op, keys) for table, keys in
             ((ONE_KEY, slice(1)), (SEVERAL_KEYS, slice(None)), (PAIRS, slice(None, None, 2)))
             for op, words in table.items() for word in words.split()}  # fmt: skip
"""Operation, and the arguments that are keys, by command."""


def redis_monitor(line: str) -> Event | None:
    """``seconds [db client] "command" "key" ...``, of old ``(db 0)``; commands without a key are passed over. Keys of
    other data bases than the first have its number before them.
    """
    match = REDIS(line.strip())
    if match is None and line.strip() in ("OK", "+OK"):
        return None
    time, new, old, command, rest = groups(match)
    number = int(new or old or 0)
    op, places = REDIS_OPS.get(command.lower(), ("", slice(0)))
    keys = tuple(f"{number}:{key}" if number else key for key in ARGUMENT.findall(rest)[places])
    return Event(op or command, "", "0", "", time, keys=keys or ("",), skip=not keys)


MEMCACHED = re.compile(r"ts=(\d{1,12})\.(\d{1,6}) gid=\d{1,20} type=(\w{1,30})(?: key=(\S{1,1000}))?(.*)").match
MEMCACHED_OPS = {"item_get": "get", "item_store": "set", "deleted": "delete"}


def memcached_watch(line: str) -> Event | None:
    """``ts=seconds.microseconds gid=N type=item_get key=... size=bytes``, of ``watch fetchers mutations deletions``;
    the microseconds have no zeros before them.
    """
    match = MEMCACHED(line)
    if match is None and line.strip() in ("OK", "+OK"):
        return None
    seconds, microseconds, kind, key, rest = groups(match)
    if kind not in MEMCACHED_OPS or not key or "status=not_stored" in rest:
        return None
    size = None if "status=not_found" in rest else re.search(r" size=(\d{1,12})", rest)
    return Event(MEMCACHED_OPS[kind], "", "0", size[1] if size else "",
                 f"{seconds}.{microseconds:0>6}", keys=(key,))  # fmt: skip


LONGEST_ANSWER = 86400.0
"""Seconds between the time of a line, when a request came, and when its answer was sent and the line written."""
SERVER_LOGS = (line_format("s3-log", s3_log, LONGEST_ANSWER), tool_format("web-log", web_log, LONGEST_ANSWER),
               line_format("redis", redis_monitor),
               line_format("memcached", memcached_watch))  # fmt: skip
