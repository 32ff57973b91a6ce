import { defineErrors, formatDuration } from '@ldes-live/rdf-stream';

export const errors = defineErrors({
  ERR_APPEND_UNRESOLVED: ({ stream, afterMs }: { stream: string; afterMs: number }) =>
    `It is unknown after ${formatDuration(afterMs)} whether a commit of stream "${stream}" was published. Append the same commit again: it is not published twice.`,
  ERR_CLUSTER_BEHIND: ({ stream, waitedMs }: { stream: string; waitedMs: number }) =>
    `This node did not catch up with stream "${stream}" within ${formatDuration(waitedMs)}. Try again, or ask another node.`,
  ERR_CLUSTER_CLOCK: ({ node, offMs, limitClockMs }: { node: string; offMs: number; limitClockMs: number }) =>
    `The clock of node "${node}" differs from the clock of the NATS server by ${formatDuration(offMs)}, more than ${formatDuration(limitClockMs)}. The node does not write. Set its clock, for example with NTP.`,
  ERR_CLUSTER_ENTRY: ({ stream, position, reason }: { stream: string; position: number; reason: string }) =>
    `Message ${position} of the log of stream "${stream}" is not an entry: ${reason}. Let only ldes-live publish on its subject, and restore the NATS stream from a backup.`,
  ERR_CLUSTER_EPOCH: ({ stream, own, found }: { stream: string; own: string; found: string }) =>
    `This node has the log of stream "${stream}" in epoch ${own}, but NATS has ${found === '' ? 'no log, or a shorter one' : found}. Restore the log in NATS, or give the node an empty data folder. Keep the old folder if it is the only copy.`,
  ERR_CLUSTER_GAP: ({ stream, position, before }: { stream: string; position: number; before: number }) =>
    `This node has the log of stream "${stream}" up to position ${position}, but NATS dropped the entries up to ${before}. Restart the node to read a snapshot.`,
  ERR_CLUSTER_NAME: ({ node, url }: { node: string; url: string }) =>
    `Another node, at ${url}, has the same name "${node}". Give each node its own name.`,
  ERR_CLUSTER_SNAPSHOT: ({ stream, reason }: { stream: string; reason: string }) =>
    `A snapshot of stream "${stream}" could not be stored, so its entries stay in NATS: ${reason}. The node tries again. Check the free space of JetStream.`,
  ERR_CLUSTER_VERSION: (at: { stream: string; position: number; found: string; known: string }) =>
    `Position ${at.position} of the log of stream "${at.stream}" has version ${at.found || '(none)'}, and this release reads version ${at.known}. Run the release that wrote it.`,
  ERR_COMMIT_EMPTY: ({ stream }: { stream: string }) =>
    `The commit of stream "${stream}" has no drafts. Append at least one draft.`,
  ERR_DISK_CACHE_NAME: ({ first, last, variant }: { first: number; last: number; variant: string }) =>
    `A document of members ${first} to ${last} cannot be cached as "${variant}". Give whole pages of one range, and a variant of 1 to 64 of a-z, 0-9, "." and "-".`,
  ERR_DISK_CACHE_WRITE: ({ stream, reason }: { stream: string; reason: string }) =>
    `A document of stream "${stream}" could not be cached: ${reason}. The server makes it again on request. Check the free space and the disk.`,
  ERR_ENTITY_UNKNOWN: ({ stream, entity }: { stream: string; entity: string }) =>
    `Stream "${stream}" has no entity ${entity} to delete. Delete only entities of the latest view.`,
  ERR_LOG_BUSY: ({ stream, limitPendingAppends }: { stream: string; limitPendingAppends: number }) =>
    `Stream "${stream}" already has ${limitPendingAppends} pending appends. Wait for some to finish, append more drafts at once, or raise limitPendingAppends.`,
  ERR_LOG_CLOSED: ({ stream }: { stream: string }) => `The log of stream "${stream}" is closed. Open it again.`,
  ERR_LOG_FENCED: ({ stream, node }: { stream: string; node: string }) =>
    `Node "${node}" does not write stream "${stream}". Append on the node that writes.`,
  ERR_LOG_LOST: ({ stream }: { stream: string }) =>
    `The process that owns the log of stream "${stream}" has ended. Restart it, then restart this process.`,
  ERR_LOG_OPEN: ({ stream }: { stream: string }) =>
    `The log of stream "${stream}" is already open. Share the open log, or close it first.`,
  ERR_MEMBERS_REMOVED: (asked: { stream: string; first: number; last: number; heldFrom: number }) =>
    `Retention erased some of the members ${asked.first} to ${asked.last} of stream "${asked.stream}". Read from ${asked.heldFrom}, or read the latest state.`,
  ERR_MEMBER_UNREADABLE: ({ stream, sequence, line }: { stream: string; sequence: number; line: string }) =>
    `Member ${sequence} of stream "${stream}" has an invalid statement, and is served without it: ${line} An earlier release stored it. Publish the entity again to replace it.`,
  ERR_NATS_CREDENTIALS: ({ servers, reason }: { servers: string; reason: string }) =>
    `The NATS servers ${servers} do not accept the credentials of this node: ${reason}. Give a credentials file of nsc, or a file with a line user:password, that may use JetStream.`,
  ERR_NATS_JETSTREAM: ({ servers, reason }: { servers: string; reason: string }) =>
    `The NATS servers ${servers} do not offer JetStream: ${reason}. Start them with -js. In a cluster, a majority of them must run.`,
  ERR_NATS_REFUSED: ({ stream, reason }: { stream: string; reason: string }) =>
    `NATS refuses an entry of stream "${stream}": ${reason}. Compare the limits of the NATS stream with the limits of the server.`,
  ERR_NATS_REPLICAS: ({ servers, replicas }: { servers: string; replicas: number }) =>
    `Each entry needs ${replicas} NATS servers, but ${servers} are fewer in one cluster. Start more servers, or set nats.replicas to 1.`,
  ERR_NATS_SILENT: ({ asked, reason }: { asked: string; reason: string }) =>
    `NATS does not answer requests for ${asked}: ${reason}. Check its servers. A majority of the servers that keep a stream must run.`,
  ERR_NATS_STORAGE: ({ stream, reason }: { stream: string; reason: string }) =>
    `NATS has no space for an entry of stream "${stream}", which was not published: ${reason}. Raise the limits of JetStream, or free space on its disk.`,
  ERR_NATS_STREAM: ({ name, problem }: { name: string; problem: string }) =>
    `The NATS stream "${name}" cannot hold logs: ${problem}. Give another name, or change that stream.`,
  ERR_NATS_UNREACHABLE: ({ servers, reason }: { servers: string; reason: string }) =>
    `The NATS servers ${servers} cannot be reached: ${reason}. Check the addresses, and check that one of the servers runs.`,
  ERR_OWNER_FAILED: ({ stream, reason }: { stream: string; reason: string }) =>
    `The process that owns the log of stream "${stream}" could not read it: ${reason}. See the log messages of that process.`,
  ERR_READ_RANGE: ({ name, value, from, to }: { name: string; value: number; from: number; to: number }) =>
    `Members cannot be read with ${name} ${value}. Give an integer from ${from} to ${to}.`,
  ERR_REMOVAL_RANGE: (asked: { stream: string; first: number; last: number; problem: string }) =>
    `Members ${asked.first} to ${asked.last} of stream "${asked.stream}" cannot be removed: ${asked.problem}. Unlink whole sealed pages once, and erase only those.`,
  ERR_SNAPSHOT_DAMAGED: ({ stream, reason }: { stream: string; reason: string }) =>
    `The snapshot of stream "${stream}" cannot be read: ${reason}. Start this node with a copy of the data folder of another node, or restore the object store.`,
  ERR_STORE_CLOSED: ({ stream }: { stream: string }) =>
    `Stream "${stream}" cannot be opened because the store is closed. Open the store again.`,
  ERR_STORE_CLUSTERED: ({ stream, path }: { stream: string; path: string }) =>
    `The log of stream "${stream}" in ${path} belongs to a cluster. Open it with the NATS servers of that cluster, or use another folder.`,
  ERR_STORE_COMPACT: ({ path, reason }: { path: string; reason: string }) =>
    `The data file of the store ${path} could not be made smaller: ${reason}. The store works as before and tries again when it is next opened. Check the free space and the disk.`,
  ERR_STORE_DAMAGED: ({ stream, sequence }: { stream: string; sequence: number }) =>
    `Member ${sequence} of stream "${stream}" is damaged or lost on the disk. Stop the server, and run "ldes-live verify" on its data folder. Then restore a backup, or drop the member with --repair.`,
  ERR_STORE_LOCKED: ({ path, pids }: { path: string; pids: string }) =>
    `The store ${path} is already open (process ids, this process included: ${pids}). Stop the other process, or use another folder.`,
  ERR_STORE_OPEN: ({ path, reason }: { path: string; reason: string }) =>
    `The store ${path} cannot be opened: ${reason}. Check that it is a writable folder that ldes-live made.`,
  ERR_STORE_VERSION: ({ path, found, known }: { path: string; found: unknown; known: number }) =>
    `The store ${path} has version ${String(found)}, and this release reads version ${known}. Use the release that wrote it, or an empty folder.`,
  ERR_STORE_WRITE: ({ stream, reason }: { stream: string; reason: string }) =>
    `A commit of stream "${stream}" could not be written: ${reason}. The log is unchanged. Check the free space and the disk, then append again.`,
  ERR_STREAM_NOT_BEGUN: ({ stream, waitedMs }: { stream: string; waitedMs: number }) =>
    `The cluster has no log of stream "${stream}", and no node started one within ${formatDuration(waitedMs)}. Give the node that writes the same configuration.`,
  ERR_STREAM_DAMAGED: ({ stream, part }: { stream: string; part: string }) =>
    `The log of stream "${stream}" cannot be opened: ${part} is damaged on the disk. Run "ldes-live verify" on the data folder. Then restore a backup, or try --repair.`,
  ERR_STREAM_MOVED: ({ stream, stored, given }: { stream: string; stored: string; given: string }) =>
    `The log of stream "${stream}" was written for ${stored}, which its members contain, not for ${given}. Set publicUrl back, or use an empty folder.`,
  ERR_VERSION_HELD: ({ stream, version }: { stream: string; version: string }) =>
    `Stream "${stream}" already has the version ${version}. Append only versions that LatestView.hasVersions does not name, or give the new version its own IRI.`,
});
