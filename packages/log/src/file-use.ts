import type { Database } from 'lmdb';
import type { LmdbTables } from './lmdb-tables.ts';

/** How a data file is used. */
export interface FileUse {
  readonly totalBytes: number;
  /** What a later commit can use again; the file does not get smaller by it. */
  readonly freeBytes: number;
  /** How many records there are of each table. */
  readonly records: readonly number[];
}

const META_PAGES = 2;

interface TreeStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
}

interface FileStats extends TreeStats {
  readonly lastPageNumber: number;
  /** The table of tables. */
  readonly root: TreeStats;
  /** The table of free pages. */
  readonly free: TreeStats;
}

/** Tells how a data file is used, by what LMDB counts: nothing is scanned. */
export function fileUse(tables: LmdbTables): FileUse {
  const { streams, members, latest, removals, versions } = tables;
  const stats = [streams, members, latest, removals, versions].map(
    (table) => (table as Database).getStats() as FileStats,
  );
  const { root, free, lastPageNumber, pageSize } = stats[0]!;
  const pages = lastPageNumber + 1;
  const used = [...stats, root, free].reduce((sum, tree) => sum + pagesOf(tree), META_PAGES);
  return {
    totalBytes: pages * pageSize,
    freeBytes: Math.max(0, pages - used) * pageSize,
    records: stats.map((tree) => tree.entryCount),
  };
}

/** The number of the last transaction that was committed to a data file. */
export function lastTransaction({ root }: LmdbTables): number {
  return (root.getStats() as { readonly lastTxnId: number }).lastTxnId;
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}
