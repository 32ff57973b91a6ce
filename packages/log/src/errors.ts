import { defineErrors } from '@ldes-live/rdf-stream';

export const errors = defineErrors({
  ERR_APPEND_UNRESOLVED: ({ stream, afterMs }: { stream: string; afterMs: number }) =>
    `After ${afterMs} ms it is not known whether a commit of stream "${stream}" was published: append the same again, which changes nothing where it was.`,
  ERR_CLUSTER_BEHIND: ({ stream, waitedMs }: { stream: string; waitedMs: number }) =>
    `After ${waitedMs} ms this node has not all that others have of stream "${stream}": ask again, or ask another node.`,
  ERR_CLUSTER_CLOCK: ({ node, offMs, limitClockMs }: { node: string; offMs: number; limitClockMs: number }) =>
    `The clock of node "${node}" is ${offMs} ms away from that of the NATS server, more than ${limitClockMs} ms, so it does not write: set it right, as by NTP.`,
  ERR_CLUSTER_ENTRY: ({ stream, position, reason }: { stream: string; position: number; reason: string }) =>
    `Message ${position} of the log of stream "${stream}" is no entry: ${reason}. Let nothing but ldes-live publish on its subject, and restore the NATS stream from a backup.`,
  ERR_CLUSTER_EPOCH: ({ stream, own, found }: { stream: string; own: string; found: string }) =>
    `This node has the log of stream "${stream}" in epoch ${own}, and NATS has ${found === '' ? 'none, or less of it' : found}. Restore what NATS had, or give the node an empty data folder; keep the folder if there is no other copy.`,
  ERR_CLUSTER_GAP: ({ stream, position, before }: { stream: string; position: number; before: number }) =>
    `This node has the log of stream "${stream}" up to position ${position}, and the next entry that NATS has stands behind ${before}: start the node again, and it takes a snapshot.`,
  ERR_CLUSTER_NAME: ({ node, url }: { node: string; url: string }) =>
    `Another node is called "${node}" too, at ${url}: give each a name of its own.`,
  ERR_CLUSTER_SNAPSHOT: ({ stream, reason }: { stream: string; reason: string }) =>
    `No snapshot of stream "${stream}" could be made, so its entries stay in NATS: ${reason}. It is tried again; look at the room that JetStream has.`,
  ERR_CLUSTER_VERSION: (at: { stream: string; position: number; found: string; known: string }) =>
    `Position ${at.position} of the log of stream "${at.stream}" was written in version ${at.found || '(none)'}, and this release reads version ${at.known}: run the release that wrote it.`,
  ERR_COMMIT_EMPTY: ({ stream }: { stream: string }) =>
    `A commit of stream "${stream}" without drafts was asked for: append at least one, or nothing at all.`,
  ERR_DISK_CACHE_NAME: ({ first, last, variant }: { first: number; last: number; variant: string }) =>
    `No document can be cached as "${variant}" of members ${first} to ${last}: give whole pages of one range, and 1 to 64 of a-z, 0-9, "." and "-".`,
  ERR_DISK_CACHE_WRITE: ({ stream, reason }: { stream: string; reason: string }) =>
    `A document of stream "${stream}" could not be cached, and is made again when it is asked for: ${reason}. Check the free space and the state of the disk.`,
  ERR_ENTITY_UNKNOWN: ({ stream, entity }: { stream: string; entity: string }) =>
    `Stream "${stream}" has no living entity ${entity} to delete: delete only what the latest view holds.`,
  ERR_LOG_BUSY: ({ stream, limitPendingAppends }: { stream: string; limitPendingAppends: number }) =>
    `Stream "${stream}" has ${limitPendingAppends} appends waiting already: wait for some to finish, append more drafts at once, or raise limitPendingAppends.`,
  ERR_LOG_CLOSED: ({ stream }: { stream: string }) => `The log of stream "${stream}" is closed: open it again.`,
  ERR_LOG_FENCED: ({ stream, node }: { stream: string; node: string }) =>
    `Node "${node}" does not write stream "${stream}": append on the node that does.`,
  ERR_LOG_LOST: ({ stream }: { stream: string }) =>
    `The process that has the log of stream "${stream}" is gone: start it again, and this one after it.`,
  ERR_LOG_OPEN: ({ stream }: { stream: string }) =>
    `The log of stream "${stream}" is open already: share that one, or close it first.`,
  ERR_MEMBERS_REMOVED: (asked: { stream: string; first: number; last: number; heldFrom: number }) =>
    `Of members ${asked.first} to ${asked.last} of stream "${asked.stream}" some were erased by retention: read from ${asked.heldFrom} on, or the latest state.`,
  ERR_MEMBER_UNREADABLE: ({ stream, sequence, line }: { stream: string; sequence: number; line: string }) =>
    `Member ${sequence} of stream "${stream}" is served without a statement that no reader could read: ${line} An earlier release stored it; publish the entity anew to replace it.`,
  ERR_NATS_CREDENTIALS: ({ servers, reason }: { servers: string; reason: string }) =>
    `This node has no credentials that do for the NATS servers ${servers}: ${reason}. Give a file of nsc, or with a line user:password, that may use JetStream.`,
  ERR_NATS_JETSTREAM: ({ servers, reason }: { servers: string; reason: string }) =>
    `The NATS servers ${servers} offer no JetStream: ${reason}. Start them with -js, and let most of a cluster run.`,
  ERR_NATS_REFUSED: ({ stream, reason }: { stream: string; reason: string }) =>
    `NATS refuses an entry of stream "${stream}": ${reason}. Compare the limits of the NATS stream with those of the server.`,
  ERR_NATS_REPLICAS: ({ servers, replicas }: { servers: string; replicas: number }) =>
    `Each entry is to be kept on ${replicas} NATS servers, and ${servers} are fewer in one cluster. Start more, or set nats.replicas to 1.`,
  ERR_NATS_SILENT: ({ asked, reason }: { asked: string; reason: string }) =>
    `NATS does not say ${asked}: ${reason}. Look at its servers; most of those that keep a stream have to run.`,
  ERR_NATS_STORAGE: ({ stream, reason }: { stream: string; reason: string }) =>
    `NATS has no room for an entry of stream "${stream}", which was not published: ${reason}. Raise the limits of JetStream, or free its disk.`,
  ERR_NATS_STREAM: ({ name, problem }: { name: string; problem: string }) =>
    `The NATS stream "${name}" cannot hold logs: ${problem}. Give another name, or change that stream.`,
  ERR_NATS_UNREACHABLE: ({ servers, reason }: { servers: string; reason: string }) =>
    `No NATS server of ${servers} can be reached: ${reason}. Check the addresses, and whether one of them runs.`,
  ERR_OWNER_FAILED: ({ stream, reason }: { stream: string; reason: string }) =>
    `The process that has the log of stream "${stream}" could not read it: ${reason}. Look into what that process logged.`,
  ERR_READ_RANGE: ({ name, value, from, to }: { name: string; value: number; from: number; to: number }) =>
    `Members cannot be read with ${name} ${value}: give an integer from ${from} to ${to}.`,
  ERR_REMOVAL_RANGE: (asked: { stream: string; first: number; last: number; problem: string }) =>
    `Members ${asked.first} to ${asked.last} of stream "${asked.stream}" cannot be removed: ${asked.problem}. Unlink whole sealed pages once, and erase only those.`,
  ERR_SNAPSHOT_DAMAGED: ({ stream, reason }: { stream: string; reason: string }) =>
    `The snapshot of stream "${stream}" cannot be read: ${reason}. Begin this node with a copy of another node's folder, or restore the object store.`,
  ERR_STORE_CLOSED: ({ stream }: { stream: string }) =>
    `Stream "${stream}" cannot be opened in a store that is closed: open the store again.`,
  ERR_STORE_CLUSTERED: ({ stream, path }: { stream: string; path: string }) =>
    `The log of stream "${stream}" in ${path} is one of several of a cluster: open it with the NATS servers of that cluster, or use another folder.`,
  ERR_STORE_COMPACT: ({ path, reason }: { path: string; reason: string }) =>
    `The data file of the store ${path} could not be made smaller, and goes on as it is: ${reason}. Check the free space and the state of the disk; it is tried again at the next opening.`,
  ERR_STORE_DAMAGED: ({ stream, sequence }: { stream: string; sequence: number }) =>
    `The store has lost member ${sequence} of stream "${stream}": put the folder back from a backup, or start with an empty one.`,
  ERR_STORE_LOCKED: ({ path, pids }: { path: string; pids: string }) =>
    `The store ${path} is open elsewhere (process ids that hold it, this one included: ${pids}): stop the other one, or give each a folder of its own.`,
  ERR_STORE_OPEN: ({ path, reason }: { path: string; reason: string }) =>
    `The store ${path} cannot be opened: ${reason}. Check that it is a folder that may be written, made by ldes-live.`,
  ERR_STORE_VERSION: ({ path, found, known }: { path: string; found: unknown; known: number }) =>
    `The store ${path} has version ${String(found)}, and this release reads version ${known}: use the release that wrote it, or an empty folder.`,
  ERR_STORE_WRITE: ({ stream, reason }: { stream: string; reason: string }) =>
    `A commit of stream "${stream}" could not be written, and the log is as it was before: ${reason}. Check the free space and the state of the disk, then append again.`,
  ERR_STREAM_NOT_BEGUN: ({ stream, waitedMs }: { stream: string; waitedMs: number }) =>
    `The cluster has no log of stream "${stream}", and no node has begun one in ${waitedMs} ms: give the node that writes the same configuration.`,
  ERR_STREAM_MOVED: ({ stream, stored, given }: { stream: string; stored: string; given: string }) =>
    `The log of stream "${stream}" was written for ${stored}, and its members name that base URL; it cannot go on at ${given}. Set publicUrl back, or use an empty folder.`,
  ERR_VERSION_HELD: ({ stream, version }: { stream: string; version: string }) =>
    `Stream "${stream}" holds the version ${version} already: append only what LatestView.hasVersions does not name, or give what is new an IRI of its own.`,
});
