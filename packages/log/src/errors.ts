import { defineErrors } from '@ldes-live/rdf-stream';

export const errors = defineErrors({
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
  ERR_LOG_LOST: ({ stream }: { stream: string }) =>
    `The process that has the log of stream "${stream}" is gone: start it again, and this one after it.`,
  ERR_LOG_OPEN: ({ stream }: { stream: string }) =>
    `The log of stream "${stream}" is open already: share that one, or close it first.`,
  ERR_MEMBERS_REMOVED: (asked: { stream: string; first: number; last: number; heldFrom: number }) =>
    `Of members ${asked.first} to ${asked.last} of stream "${asked.stream}" some were erased by retention: read from ${asked.heldFrom} on, or the latest state.`,
  ERR_MEMBER_UNREADABLE: ({ stream, sequence, line }: { stream: string; sequence: number; line: string }) =>
    `Member ${sequence} of stream "${stream}" is served without a statement that no reader could read: ${line} An earlier release stored it; publish the entity anew to replace it.`,
  ERR_OWNER_FAILED: ({ stream, reason }: { stream: string; reason: string }) =>
    `The process that has the log of stream "${stream}" could not read it: ${reason}. Look into what that process logged.`,
  ERR_READ_RANGE: ({ name, value, from, to }: { name: string; value: number; from: number; to: number }) =>
    `Members cannot be read with ${name} ${value}: give an integer from ${from} to ${to}.`,
  ERR_REMOVAL_RANGE: (asked: { stream: string; first: number; last: number; problem: string }) =>
    `Members ${asked.first} to ${asked.last} of stream "${asked.stream}" cannot be removed: ${asked.problem}. Unlink whole sealed pages once, and erase only those.`,
  ERR_STORE_CLOSED: ({ stream }: { stream: string }) =>
    `Stream "${stream}" cannot be opened in a store that is closed: open the store again.`,
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
  ERR_STREAM_MOVED: ({ stream, stored, given }: { stream: string; stored: string; given: string }) =>
    `The log of stream "${stream}" was written for ${stored}, and its members name that base URL; it cannot go on at ${given}. Set publicUrl back, or use an empty folder.`,
  ERR_VERSION_HELD: ({ stream, version }: { stream: string; version: string }) =>
    `Stream "${stream}" holds the version ${version} already: append only what LatestView.hasVersions does not name, or give what is new an IRI of its own.`,
});
