vcl 4.1;

# Several nodes of ldes-live behind Varnish. Tested with Varnish 7.1.1 (Debian 12), by tests/e2e/cluster.test.ts.
#
# How documents are kept is what varnish.vcl says, with its parameters: put both files into one folder, and start Varnish
# with `-p vcl_path=FOLDER` besides. Here is only which node is asked. All have the same documents and cursors, so any of them
# will do; set their addresses:

import directors;
import std;

probe health {
    # A node that was told to stop is unready at once: unlike the only publisher, it need not be asked until its end.
    # One that is cut off is ready: it serves what it has.
    .url = "/health";
    .interval = 1s;
    .timeout = 2s;
    .window = 3;
    .threshold = 2;
    .initial = 2;
}

backend node_1 {
    .host = "node-1";
    .port = "3000";
    .connect_timeout = 2s;
    .first_byte_timeout = 30s;
    .between_bytes_timeout = 60s;
    .probe = health;
}

backend node_2 {
    .host = "node-2";
    .port = "3000";
    .connect_timeout = 2s;
    .first_byte_timeout = 30s;
    .between_bytes_timeout = 60s;
    .probe = health;
}

backend node_3 {
    .host = "node-3";
    .port = "3000";
    .connect_timeout = 2s;
    .first_byte_timeout = 30s;
    .between_bytes_timeout = 60s;
    .probe = health;
}

sub vcl_init {
    new nodes = directors.round_robin();
    nodes.add_backend(node_1);
    nodes.add_backend(node_2);
    nodes.add_backend(node_3);
}

sub vcl_recv {
    # Varnish refuses a backend that nothing names, and varnish.vcl has one: it gives way.
    set req.backend_hint = publisher;
    set req.backend_hint = nodes.backend();
}

sub vcl_backend_response {
    # A node that is cut off may lack members: another one is asked. Where all are cut off its answer will do.
    if (beresp.http.LDES-Source ~ "complete-to" && bereq.method == "GET" && bereq.retries == 0) {
        return (retry);
    }
}

sub vcl_backend_error {
    # A node that has died is asked until two probes have failed: others have the document. A query may be what killed it.
    if (bereq.method == "GET" && bereq.url !~ "/sparql(\?|$)" && bereq.retries < 2) {
        return (retry);
    }
}

include "varnish.vcl";
