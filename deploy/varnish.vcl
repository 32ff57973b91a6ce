vcl 4.1;

# ldes-live behind Varnish. Tested with Varnish 7.1.1 (Debian 12), by tests/e2e/caches.
#
# What it promises is in specs/caches.md. Start Varnish with
#   -p http_gzip_support=off    the publisher compresses each state once and names each encoding by its own ETag;
#                               with it on, Varnish would ask for gzip only, unpack it for some clients, and weaken
#                               their ETag
#   -p thread_queue_limit=100000, -p listen_depth=4096
#                               readers ask in the moment of an update, all of them: beyond 20 that wait for a thread
#                               Varnish closes connections, and readers who come back add to what it has to do
#   -p default_ttl=0            what has no end that is told is not kept
#   -p timeout_idle=65          a reader's connection outlives the time between two updates, which is 5 s unless set
# and set the address of the publisher:

import std;

backend publisher {
    .host = "127.0.0.1";
    .port = "3000";
    .connect_timeout = 2s;
    .first_byte_timeout = 30s;
    # A stream of events has a comment at least every 15 s.
    .between_bytes_timeout = 60s;
    # Tells whether old documents may be served, before anyone asks. Not /health, which is unready from the moment in which
    # the publisher is told to stop: it answers until its streams have ended.
    .probe = {
        .url = "/";
        .interval = 1s;
        .timeout = 2s;
        .window = 3;
        .threshold = 2;
        .initial = 2;
    }
}

sub vcl_recv {
    # Its values are this file's own: `lookup` for what may be served from the cache, `trouble` once that failed.
    if (req.restarts == 0) {
        unset req.http.LDES-Way;
    }
    # Streams of events: as they come. A pipe costs one thread a client and no storage. Varnish has added the client to
    # X-Forwarded-For, by which the publisher counts the streams of each.
    if (req.method == "GET" && req.url ~ "^/[^/]+/events(\?|$)") {
        return (pipe);
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # How the publisher fares now; queries, SPARQL among them; and what is asked for with credentials, which is for who
    # has them.
    if (req.url ~ "^/(health|metrics|[^/]+/sparql)$" || req.url ~ "\?" || req.http.Authorization) {
        return (pass);
    }
    if (req.restarts == 0) {
        set req.http.LDES-Way = "lookup";
    }

    # Variants: five formats and three encodings, and pages. Only what surely means one of them is replaced by its name.
    # Everything else (weights, lists) goes to the publisher as it is and is kept by itself: its answer is right, only
    # shared by fewer.
    if (!req.http.Accept || req.http.Accept ~ "^\s*(\*/\*)?\s*$") {
        set req.http.Accept = "application/ld+json";
    } elsif (req.http.Accept ~ "(?i)^\s*(application/(ld\+json|trig|n-quads|n-triples)|text/turtle)\s*$") {
        set req.http.Accept = std.tolower(regsuball(req.http.Accept, "\s", ""));
    # A browser: HTML first, no other format by name, and anything rather than nothing. Each writes that in its own way.
    } elsif (req.http.Accept ~ "(?i)^\s*text/html\s*," && req.http.Accept ~ "\*/\*;q=0\.[1-9]"
        && req.http.Accept !~ "(?i)turtle|json|trig|n-quads|n-triples|[a-z]/\*") {
        set req.http.Accept = "text/html, */*;q=0.1";
    }
    # A field without weights that has br gets br, else gzip; one with neither gets the plain bytes.
    if (req.http.Accept-Encoding !~ "[;*]") {
        if (req.http.Accept-Encoding ~ "(?i)(^|,)\s*br\s*(,|$)") {
            set req.http.Accept-Encoding = "br";
        } elsif (req.http.Accept-Encoding ~ "(?i)(^|,)\s*(x-)?gzip\s*(,|$)") {
            set req.http.Accept-Encoding = "gzip";
        } else {
            set req.http.Accept-Encoding = "identity";
        }
    }
    unset req.http.Cookie;

    # No grace: during a refresh it would hand out the old document to those who came for the new one. They wait, and
    # are woken together when it is there. Where the publisher cannot be reached the old document is better than none,
    # for as long as vcl_backend_response gave it.
    if (std.healthy(req.backend_hint) && req.http.LDES-Way != "trouble") {
        set req.grace = 0s;
    } else {
        set req.grace = 1d;
    }
    return (hash);
}

sub vcl_hash {
    hash_data(req.url);
    # In the key, not only in Vary: who asks for another variant does not wait for this one.
    hash_data(req.http.Accept);
    hash_data(req.http.Accept-Encoding);
    return (lookup);
}

sub vcl_pipe {
    # The next request on the connection has to come by here again.
    set bereq.http.Connection = "close";
}

sub vcl_miss {
    # There is no old document either. No second request: the publisher may have seen the first.
    if (req.http.LDES-Way == "trouble") {
        return (synth(503));
    }
}

sub vcl_backend_fetch {
    # The request that failed was this one.
    if (bereq.http.LDES-Way == "trouble") {
        return (abandon);
    }
    unset bereq.http.LDES-Way;
}

sub vcl_backend_response {
    # The old document stays where the publisher answers with a fault.
    if (beresp.status >= 500 && bereq.is_bgfetch) {
        return (abandon);
    }
    if (bereq.uncacheable) {
        return (deliver);
    }
    # What is not for all, has expired (but what a stream says of its next update, see below), or is a fault.
    std.collect(beresp.http.Cache-Control);
    std.collect(beresp.http.Vary);
    if (beresp.status >= 500 || beresp.http.Vary ~ "\*" || beresp.http.Cache-Control ~ "(?i)no-store|no-cache|private"
        || (beresp.ttl <= 0s && !beresp.http.X-Accel-Expires)) {
        set beresp.uncacheable = true;
        set beresp.grace = 0s;
        # That this is not to be kept is remembered for a second only, so that those who wait for a missing page do not
        # queue, and a page that comes into being is shared from then on; of a fault it is not remembered at all.
        if (beresp.status >= 500) {
            set beresp.ttl = 0s;
        } else {
            set beresp.ttl = 1s;
        }
        return (deliver);
    }

    # Varnish can count in milliseconds, max-age cannot: a scheduled document is kept until its next update to the
    # millisecond. One whose next update is unknown, overdue or this very instant is kept for a tenth of a second, which
    # is what lies between the publisher and the crowd meanwhile.
    if (beresp.http.Next-Update) {
        # In epoch seconds with their fraction: std.time reads that form of an instant, but no ISO 8601 with milliseconds.
        set beresp.http.LDES-Next = std.time2real(std.time(regsub(beresp.http.Next-Update, "(\.\d+)?Z$", ""), now)
            + std.duration("0" + regsub(beresp.http.Next-Update, "^[^.]*(\.\d+)?Z$", "\1") + "s", 0s), 0.0);
        set beresp.ttl = std.time(beresp.http.LDES-Next, now) - now;
        if (beresp.ttl <= 0s) {
            set beresp.ttl = 0.1s;
        }
    } elsif (beresp.http.X-Accel-Expires) {
        set beresp.ttl = 0.1s;
    } elsif (beresp.ttl > 1d) {
        # Sealed pages; one that retention removed must not stay for ever.
        set beresp.ttl = 1d;
    }

    # For how long an old document is better than none, in the publisher's words; never served otherwise, see vcl_recv.
    set beresp.grace = 0s;
    if (beresp.http.Cache-Control ~ "stale-if-error=\d") {
        set beresp.grace = std.duration(regsub(beresp.http.Cache-Control, "^.*stale-if-error=(\d+).*$", "\1s"), 0s);
    }
    # What has expired is asked for by its tag for a minute: a 304 renews the fields that it has, and leaves the others.
    # A Next-Update that it leaves has passed, see vcl_deliver.
    set beresp.keep = 1m;
    return (deliver);
}

sub vcl_backend_error {
    set beresp.ttl = 0s;
    set beresp.http.LDES-Unreachable = "yes";
    set beresp.http.Cache-Control = "no-store";
    set beresp.http.Retry-After = "1";
    set beresp.http.Access-Control-Allow-Origin = "*";
    set beresp.http.Content-Type = "application/problem+json";
    set beresp.body = {"{"type":"about:blank","title":"Publisher unreachable","status":503}"};
    return (deliver);
}

sub vcl_deliver {
    # The publisher gave no answer: once more, with the old document allowed. A fault that it answers is its own word.
    if (resp.http.LDES-Unreachable && req.http.LDES-Way == "lookup") {
        set req.http.LDES-Way = "trouble";
        return (restart);
    }
    unset resp.http.LDES-Unreachable;

    # Of a node that is cut off from its cluster, kept for a tenth of a second as what is overdue: its max-age=0 stands.
    if (resp.http.LDES-Source ~ "complete-to") {
        unset resp.http.X-Accel-Expires;
    }

    # What is left of the time to the next update, of this moment and not of the fetch, in whole seconds rounded down;
    # with it go Date, and no Age, which would be taken off a second time.
    # Only scheduled documents have X-Accel-Expires; a fixed max-age is right with its Age.
    if (resp.http.X-Accel-Expires && resp.http.Cache-Control !~ "no-store") {
        unset resp.http.Age;
        set resp.http.Date = now;
        set resp.http.LDES-Rest = regsub(resp.http.Cache-Control, "^.*(, stale-if-error=\d+).*$", "\1");
        if (resp.http.LDES-Rest !~ "^,") {
            set resp.http.LDES-Rest = "";
        }
        if (std.time(resp.http.LDES-Next, now) > now) {
            set resp.http.Cache-Control = "public, max-age="
                + std.integer(duration = std.time(resp.http.LDES-Next, now) - now, fallback = 0) + resp.http.LDES-Rest;
        } else {
            # Overdue, or served in trouble: as the publisher says it of an update that may come at any moment.
            unset resp.http.Next-Update;
            set resp.http.Cache-Control = "public, max-age=1" + resp.http.LDES-Rest;
            set resp.http.Expires = now + 1s;
        }
        unset resp.http.LDES-Rest;
        unset resp.http.LDES-Next;
    }
    unset resp.http.X-Accel-Expires;
    unset resp.http.X-Varnish;
    unset resp.http.Via;

    # Varnish compares with one entity tag; a list, or *, is narrowed to the one that counts.
    if (resp.http.ETag && req.http.If-None-Match
        && (req.http.If-None-Match == "*" || std.strstr(req.http.If-None-Match, resp.http.ETag))) {
        set req.http.If-None-Match = resp.http.ETag;
    }
    return (deliver);
}

sub vcl_synth {
    set resp.http.Cache-Control = "no-store";
    set resp.http.Retry-After = "1";
    set resp.http.Access-Control-Allow-Origin = "*";
    set resp.http.Content-Type = "application/problem+json";
    set resp.body = {"{"type":"about:blank","title":"Publisher unreachable","status":503}"};
    return (deliver);
}
