import { programPath } from '@ldes-live/bench/programs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** One Chromium for the tests of a file: what its pages log as an error, and ask of another host, fails the test. */
export class WatchedBrowser {
  readonly #opened: { readonly page: Page; readonly faults: string[] }[] = [];
  #browser: Browser | undefined;

  constructor() {
    beforeAll(async () => {
      // Without a graphics card its work is done by the processor, but not in the thread of the page.
      const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--ignore-gpu-blocklist'];
      this.#browser = await chromium.launch({ executablePath: programPath('chromium'), args });
    });
    afterAll(async () => await this.#browser?.close());
    afterEach(async () => {
      const faults = this.#opened.flatMap((each) => each.faults);
      await Promise.all(this.#opened.splice(0).map(({ page }) => page.context().close()));
      expect(faults).toEqual([]);
    });
  }

  /** Opens a page in a context of its own. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await (this.#browser as Browser).newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    this.watch(page, new URL(url).origin);
    await page.goto(url);
    return page;
  }

  watch(page: Page, origin: string): void {
    const faults: string[] = [];
    this.#opened.push({ page, faults });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // What fails while a test has cut the network is what it cut.
      if (message.type() === 'error' && !/ERR_INTERNET_DISCONNECTED|ERR_NETWORK/.test(message.text()))
        faults.push(message.text());
    });
    page.on('request', (request) => {
      const { protocol, origin: asked } = new URL(request.url());
      if (/^https?:$/.test(protocol) && asked !== origin) faults.push(`asked ${request.url()}`);
    });
  }

  /**
   * Watches the tasks of a page's main thread.
   *
   * @returns ends that: the longest task in milliseconds that passed, and the busiest in milliseconds of the processor
   */
  async tasks(page: Page): Promise<() => Promise<{ longestMs: number; busiestMs: number }>> {
    const running = this.#browser as Browser;
    await running.startTracing(page, { categories: ['toplevel', '__metadata'] });
    return async () => {
      const { traceEvents } = JSON.parse(`${await running.stopTracing()}`) as { traceEvents: TraceEvent[] };
      const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
      const mains = new Set(traceEvents.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
      const tasks = traceEvents.filter(({ name, pid, tid }) => /RunTask$/.test(name) && mains.has(`${pid} ${tid}`));
      expect(tasks.length).toBeGreaterThan(100);
      const most = (of: 'dur' | 'tdur') => Math.round(Math.max(...tasks.map((task) => task[of] ?? 0)) / 1000);
      return { longestMs: most('dur'), busiestMs: most('tdur') };
    };
  }

  /** Forgets what went wrong in a page so far: the test wanted it. */
  forgive(page: Page): void {
    for (const each of this.#opened) if (each.page === page) each.faults.splice(0);
  }
}

/**
 * The least of some measurements, of which the first below a limit is enough. What other tests take of the machine is in some
 * of them; what the page itself takes is in each.
 */
export async function leastOf(measure: () => Promise<number>, limit: number, attempts = 4): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least >= limit; attempt += 1) least = Math.min(least, await measure());
  return least;
}

/** Of Chromium's tracing, as far as it is read here; durations in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}
