/** Pages by the time at which they are due, the earliest first. */
export class DueQueue {
  readonly #dueMs = new Map<number, number>();
  // A binary heap. What was put off or brought forward stays in it and is passed over, as the map tells.
  #heap: Due[] = [];

  /** Says when a page is due, whatever was said of it before: epoch milliseconds, `Infinity` for never. */
  set(page: number, dueMs: number): void {
    if (this.#dueMs.get(page) === dueMs) return;
    if (dueMs === Number.POSITIVE_INFINITY) this.#dueMs.delete(page);
    else {
      this.#dueMs.set(page, dueMs);
      this.#push({ page, dueMs });
    }
  }

  /** Forgets a page. */
  delete(page: number): void {
    this.#dueMs.delete(page);
  }

  /** The page that is due first; `undefined` when none will be. It stays. */
  first(): Due | undefined {
    for (let due = this.#heap[0]; due; due = this.#heap[0]) {
      if (this.#dueMs.get(due.page) === due.dueMs) return due;
      this.#pop();
    }
    return undefined;
  }

  #push(due: Due): void {
    const heap = this.#heap;
    if (heap.length > 2 * this.#dueMs.size + SLACK) {
      this.#heap = Array.from(this.#dueMs, ([page, dueMs]) => ({ page, dueMs })).sort(byDue);
      return;
    }
    let index = heap.push(due) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (byDue(heap[parent]!, due) <= 0) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && byDue(heap[child + 1]!, heap[child]!) < 0) child += 1;
      if (byDue(last, heap[child]!) <= 0) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

/** When a page is due. */
export interface Due {
  readonly page: number;
  readonly dueMs: number;
}

const SLACK = 64;

function byDue(one: Due, other: Due): number {
  return one.dueMs - other.dueMs || one.page - other.page;
}
