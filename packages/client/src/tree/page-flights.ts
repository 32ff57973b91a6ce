import type { FetchedPage } from './fetch-page.ts';
import type { Page } from './tree-pages.ts';

/** A page and what asking for it brought, or the error that it ended in. */
export type Landed =
  | { readonly page: Page; readonly read: FetchedPage }
  | { readonly page: Page; readonly read?: never; readonly error: unknown };

/** Pages that are being asked for at once. */
export class PageFlights {
  readonly #flights = new Map<Page, Promise<Landed>>();

  get size(): number {
    return this.#flights.size;
  }

  /** Starts one. */
  start(page: Page, read: Promise<FetchedPage>): void {
    const landed = read.then(
      (brought) => ({ page, read: brought }),
      (error: unknown) => ({ page, error }),
    );
    this.#flights.set(page, landed);
  }

  /** The first to come back. */
  async next(): Promise<Landed> {
    const landed = await Promise.race(this.#flights.values());
    this.#flights.delete(landed.page);
    return landed;
  }

  /** The pages that have not come back. */
  get pages(): Page[] {
    return [...this.#flights.keys()];
  }
}
