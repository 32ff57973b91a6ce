// Looks whether the pages of an LMDB file hang together, before LMDB does: it maps the file and trusts it, so that a changed page
// number or length ends the process. Every page is looked at that can be reached, and what lies between is taken for free.
//   meta page (the newer of two) -> tree of free pages, tree of tables -> for each table its tree: branch pages -> leaf pages
//     -> overflow pages, for values longer than half a page
//   a page, as lmdb-js 3.5 writes it:  number 8 | transaction 8 | pad 2 | flags 2 | lower 2, upper 2 (or count 4) | offsets of nodes
//   a node of a branch page:           page 6 | key length 2 | key            its key is a bound of what lies below it
//   a node of a leaf page:             data length 4 | flags 2 | key length 2 | key | data
//   data flags:                        1 on overflow pages: number 8 | transaction 8 | count 8      2 a tree: 48 bytes
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

const HEADER_BYTES = 24;
const NODE_BYTES = 8;
const [BRANCH, LEAF, OVERFLOW] = [1, 2, 4];
const [ON_OVERFLOW, IS_TREE] = [1, 2];
const TREE_BYTES = 48;
const OVERFLOW_BYTES = 24;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
// LMDB's own bound of the way from a root to a leaf.
const LIMIT_DEPTH = 32;
const META_PAGES = 2;

/** Where the newest meta page says that things are. */
export interface MetaPage {
  readonly pageBytes: number;
  readonly pages: number;
  readonly transaction: bigint;
  /** Whether no transaction has followed on a compacted copy, whose pages are all of the first one. */
  readonly isCopied: boolean;
  /** 48 bytes each, as in a leaf. */
  readonly freeTree: Buffer;
  readonly mainTree: Buffer;
}

// Where the two meta pages of a data file have what: page header, then the meta data.
const MAGIC = 0xbeefc0de;
const MAGIC_OFFSET = 24;
const VERSION_OFFSET = 28;
const PAGE_SIZE_OFFSET = 48;
const MAIN_TREE_OFFSET = 96;
const LAST_PAGE_OFFSET = 144;
const TRANSACTION_OFFSET = 152;
const META_END = 160;
const LARGEST_PAGE_BYTES = 65_536;
/** What tells the meta pages of a file: its first bytes, or as many as it has. */
export const META_BYTES = LARGEST_PAGE_BYTES + META_END;

/**
 * The newer meta page of a file, or what is wrong with them: of a file that is shorter than it says LMDB reads past the end.
 *
 * @param start - its first {@link META_BYTES}; none of a store that was never made
 */
export function newestMeta(start: Buffer, sizeBytes: number): MetaPage | string {
  if (start.length < META_END || start.readUInt32LE(MAGIC_OFFSET) !== MAGIC) return 'its data.mdb is not an LMDB file';
  const pageBytes = start.readUInt32LE(PAGE_SIZE_OFFSET);
  const isPageSize = pageBytes >= 256 && pageBytes <= LARGEST_PAGE_BYTES && (pageBytes & (pageBytes - 1)) === 0;
  if (!isPageSize || start.length < pageBytes + META_END) return 'its data.mdb is damaged: it has no page size';
  const metas = [start.subarray(0, META_END), start.subarray(pageBytes, pageBytes + META_END)];
  if (metas.some((meta) => meta.readUInt32LE(MAGIC_OFFSET) !== MAGIC)) {
    return 'its data.mdb is damaged at its beginning';
  }
  // LMDB ends the process where they are of another version or page size.
  const isAlike = [VERSION_OFFSET, PAGE_SIZE_OFFSET].every(
    (offset) => metas[0]!.readUInt32LE(offset) === metas[1]!.readUInt32LE(offset),
  );
  if (!isAlike) return 'its data.mdb is damaged: its meta pages differ in what they have to share';
  const [even, odd] = metas.map((meta) => meta.readBigUInt64LE(TRANSACTION_OFFSET)) as [bigint, bigint];
  // Transactions take turns, the even ones in the first page, which a compacted copy leaves at 0. By any other number an earlier
  // state would be taken for the newest one.
  const isInTurn = even === 0n || (even % 2n === 0n && (even + 1n === odd || odd + 1n === even));
  if (!isInTurn) return `its data.mdb is damaged: its meta pages are of the transactions ${even} and ${odd}`;
  const newest = metas[even > odd ? 0 : 1]!;
  const pages = newest.readBigUInt64LE(LAST_PAGE_OFFSET) + 1n;
  const endBytes = pages * BigInt(pageBytes);
  if (endBytes > BigInt(sizeBytes)) return `its data.mdb is cut short: it has ${sizeBytes} of ${endBytes} bytes`;
  return {
    pageBytes,
    pages: Number(pages),
    transaction: newest.readBigUInt64LE(TRANSACTION_OFFSET),
    isCopied: even === 0n,
    freeTree: newest.subarray(PAGE_SIZE_OFFSET, MAIN_TREE_OFFSET),
    mainTree: newest.subarray(MAIN_TREE_OFFSET, LAST_PAGE_OFFSET),
  };
}

/**
 * The first problem of a file's pages, in words; `undefined` where they hang together.
 *
 * @param isWhole - whether all pages are looked at, and not the root alone
 */
export async function pagesProblem(path: string, meta: MetaPage, isWhole: boolean): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const pages = new PageWalk(file, meta);
    await pages.checkRoot();
    if (isWhole) await pages.walk();
    return undefined;
  } catch (error) {
    if (error instanceof PageProblem) return error.message;
    throw error;
  } finally {
    await file.close();
  }
}

class PageProblem extends Error {}

interface Tree {
  readonly root: bigint;
  readonly depth: number;
  readonly entries: bigint;
}

function treeOf(bytes: Buffer): Tree {
  return { depth: bytes.readUInt16LE(6), entries: bytes.readBigUInt64LE(32), root: bytes.readBigUInt64LE(40) };
}

// Pages that are read before others get their turn on the event loop.
const SLICE_PAGES = 500;

type Compare = (left: Buffer, right: Buffer) => number;
type Visit = (key: Buffer, data: Buffer, isTree: boolean) => Promise<void>;

// The keys of the tree of free pages are numbers of transactions.
function byTransaction(left: Buffer, right: Buffer): number {
  if (left.length !== 8 || right.length !== 8) throw new PageProblem('a list of free pages is of no transaction');
  return Number(left.readBigUInt64LE(0) - right.readBigUInt64LE(0));
}

class PageWalk {
  readonly #file: FileHandle;
  readonly #meta: MetaPage;
  /** One for each page that was reached, or that is free. */
  readonly #seen: Uint8Array;
  #pagesRead = 0;

  constructor(file: FileHandle, meta: MetaPage) {
    this.#file = file;
    this.#meta = meta;
    this.#seen = new Uint8Array(meta.pages);
  }

  // Each transaction writes the root of the tables: by another number an earlier state would be taken for the newest one.
  async checkRoot(): Promise<void> {
    const { mainTree, transaction, isCopied, pages } = this.#meta;
    const { root } = treeOf(mainTree);
    if (isCopied || root === NO_PAGE) return;
    if (root >= BigInt(pages)) throw new PageProblem(`the root is page ${root} of ${pages}`);
    const written = (await this.#bytes(Number(root), HEADER_BYTES)).readBigUInt64LE(8);
    if (written === transaction) return;
    throw new PageProblem(`its meta page is of transaction ${transaction}, and its root of ${written}`);
  }

  async walk(): Promise<void> {
    const { freeTree, mainTree } = this.#meta;
    await this.#tree(freeTree, byTransaction, async (key, data) => this.#free(key, data));
    await this.#tree(mainTree, Buffer.compare, async (_, data, isTree) => {
      if (isTree) await this.#tree(data, Buffer.compare, async () => {});
    });
  }

  // A list of pages that a transaction freed: their count, then their numbers. A negative one counts those that follow on the next.
  #free(key: Buffer, data: Buffer): void {
    if (key.length !== 8 || data.length < 8) throw new PageProblem('a list of free pages is damaged');
    const count = Number(data.readBigUInt64LE(0));
    if ((count + 1) * 8 > data.length) throw new PageProblem('a list of free pages is longer than its record');
    let run = 1;
    for (let index = 1; index <= count; index += 1) {
      const number = data.readBigInt64LE(index * 8);
      if (number === 0n) continue;
      if (number < 0n) {
        run = Number(-number);
        continue;
      }
      for (let page = 0; page < run; page += 1) this.#take(number + BigInt(page));
      run = 1;
    }
  }

  /** Each page stands for one thing. */
  #take(number: bigint): number {
    const page = Number(number);
    if (number < BigInt(META_PAGES) || number >= BigInt(this.#meta.pages)) {
      throw new PageProblem(`a reference leads to page ${number} of ${this.#meta.pages}`);
    }
    if (this.#seen[page] === 1) throw new PageProblem(`page ${page} is used twice`);
    this.#seen[page] = 1;
    return page;
  }

  async #tree(bytes: Buffer, compare: Compare, visit: Visit): Promise<void> {
    const { root, depth, entries } = treeOf(bytes);
    if (root === NO_PAGE) {
      if (entries !== 0n) throw new PageProblem('a tree has lost its root');
      return;
    }
    if (depth === 0 || depth > LIMIT_DEPTH) throw new PageProblem(`a tree is ${depth} pages deep`);
    let found = 0n;
    const below = async (number: bigint, level: number, from?: Buffer, to?: Buffer): Promise<void> => {
      const page = this.#take(number);
      const bytesOfPage = await this.#page(page);
      const isLeaf = level === depth;
      const nodes = nodesOf(bytesOfPage, page, isLeaf ? LEAF : BRANCH);
      let before: Buffer | undefined;
      for (const [index, node] of nodes.entries()) {
        const { key } = node;
        // The first key of a branch stands for whatever is smaller than the second.
        const isBound = isLeaf || index > 0;
        if (isBound) {
          const isAfter = before ? compare(key, before) > 0 : !from || compare(key, from) >= 0;
          if (!isAfter || (to && compare(key, to) >= 0)) throw new PageProblem(`keys of page ${page} are out of order`);
          before = key;
        }
        if (!isLeaf) {
          await below(node.child, level + 1, index === 0 ? from : key, nodes[index + 1]?.key ?? to);
          continue;
        }
        found += 1n;
        await visit(key, await this.#dataOf(node, page), (node.flags & IS_TREE) !== 0);
      }
    };
    await below(root, 1);
    if (found !== entries) throw new PageProblem(`a tree has ${found} of ${entries} records`);
  }

  async #dataOf({ data, dataBytes, flags }: Node, page: number): Promise<Buffer> {
    if ((flags & ~(ON_OVERFLOW | IS_TREE)) !== 0) throw new PageProblem(`page ${page} has a record of no known kind`);
    if ((flags & ON_OVERFLOW) === 0) return data;
    const [number, count] = [data.readBigUInt64LE(0), Number(data.readBigUInt64LE(16))];
    const { pageBytes } = this.#meta;
    const needed = Math.ceil((HEADER_BYTES + dataBytes) / pageBytes);
    if (count < needed) throw new PageProblem(`a record of page ${page} is longer than its pages`);
    for (let next = 0; next < count; next += 1) this.#take(number + BigInt(next));
    const first = Number(number);
    const bytes = await this.#bytes(first, HEADER_BYTES + dataBytes);
    if (bytes.readBigUInt64LE(0) !== number) throw new PageProblem(`page ${first} is not what it should be`);
    if (bytes.readUInt16LE(18) !== OVERFLOW || bytes.readUInt32LE(20) !== count) {
      throw new PageProblem(`page ${first} is not a value of ${count} pages`);
    }
    return bytes.subarray(HEADER_BYTES);
  }

  async #page(page: number): Promise<Buffer> {
    this.#pagesRead += 1;
    if (this.#pagesRead % SLICE_PAGES === 0) await setImmediate();
    const bytes = await this.#bytes(page, this.#meta.pageBytes);
    if (Number(bytes.readBigUInt64LE(0)) !== page) throw new PageProblem(`page ${page} is not what it should be`);
    if (bytes.readBigUInt64LE(8) > this.#meta.transaction) throw new PageProblem(`page ${page} is of no transaction`);
    return bytes;
  }

  async #bytes(page: number, length: number): Promise<Buffer> {
    const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(length), 0, length, page * this.#meta.pageBytes);
    if (bytesRead < length) throw new PageProblem(`page ${page} is cut off`);
    return buffer;
  }
}

interface Node {
  readonly key: Buffer;
  readonly flags: number;
  readonly child: bigint;
  readonly data: Buffer;
  readonly dataBytes: number;
}

function nodesOf(bytes: Buffer, page: number, kind: number): Node[] {
  const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
  const count = lower >> 1;
  const room = bytes.length - HEADER_BYTES;
  const isSound = bytes.readUInt16LE(18) === kind && lower % 2 === 0 && count > 0 && lower <= upper && upper <= room;
  if (!isSound) throw new PageProblem(`the header of page ${page} is damaged`);
  return Array.from({ length: count }, (_, index): Node => {
    const at = bytes.readUInt16LE(HEADER_BYTES + index * 2);
    const start = HEADER_BYTES + at;
    if (at < upper || at + NODE_BYTES > room) throw new PageProblem(`a record lies outside of page ${page}`);
    const [low, high] = [bytes.readUInt16LE(start), bytes.readUInt16LE(start + 2)];
    const [flags, keyBytes] = [bytes.readUInt16LE(start + 4), bytes.readUInt16LE(start + 6)];
    const keyEnd = start + NODE_BYTES + keyBytes;
    const size = low + high * 65_536;
    const isOver = (flags & ON_OVERFLOW) !== 0;
    const dataBytes = kind === BRANCH ? 0 : isOver ? OVERFLOW_BYTES : (flags & IS_TREE) !== 0 ? TREE_BYTES : size;
    if (keyEnd + dataBytes > bytes.length) throw new PageProblem(`a record reaches past the end of page ${page}`);
    return {
      key: bytes.subarray(start + NODE_BYTES, keyEnd),
      flags: kind === BRANCH ? 0 : flags,
      child: BigInt(low) + (BigInt(high) << 16n) + (BigInt(flags) << 32n),
      data: bytes.subarray(keyEnd, keyEnd + dataBytes),
      dataBytes: size,
    };
  });
}
