import { DrawPacer } from '/modules/e3/draw-pacer.js';
import { memberRows, plainRows } from '/modules/e3/read-rows.js';
import { RowTally } from '/modules/e3/row-tally.js';
import { ROW_NAMESPACE, rowOf } from '/modules/e3/row-terms.js';

const DRAW_EVERY_MS = 200;
const MAL_SECONDS = 0.1;

const asked = new URLSearchParams(location.search);
const url = asked.get('url') ?? '';
const offsetMicros = Number(asked.get('offset'));
const microsOfNow = () => (performance.timeOrigin + performance.now()) * 1000 - offsetMicros;

const readers = {
  websocket(onRows, onOpen) {
    const socket = new WebSocket(url);
    socket.addEventListener('open', onOpen);
    socket.addEventListener('message', ({ data }) => onRows(plainRows(data)));
  },
  sse(onRows, onOpen) {
    const source = new EventSource(url);
    source.addEventListener('open', onOpen);
    source.addEventListener('message', ({ data }) => onRows(plainRows(data)));
  },
  'ldes-live'(onRows, onOpen) {
    const source = new EventSource(url);
    source.addEventListener('open', onOpen);
    source.addEventListener('update', ({ data }) => onRows(memberRows(data)));
  },
  async 'live-client'(onRows, onOpen) {
    const { createLiveClient } = await import('/client/ldes-live-client.js');
    const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'now' });
    follower.on('status', ({ mode, isCaughtUp }) => mode === 'push' && isCaughtUp && onOpen());
    let rows = [];
    for await (const { kind, member, endsCommit } of follower) {
      if (kind === 'gap') continue;
      const said = new Map(member.quads.map(({ predicate, object }) => [predicate.value, object.value]));
      rows.push(rowOf((field) => said.get(ROW_NAMESPACE + field)));
      if (!endsCommit) continue;
      onRows(rows);
      rows = [];
    }
  },
};

/**
 * Reads the rows that the page's address asks for, and draws at most every 200 ms.
 *
 * @param take - is given the rows of each batch
 * @param draw - is given what the page counted so far
 */
export function followRows(take, draw) {
  let tally = new RowTally(1, microsOfNow);
  let pacer = new DrawPacer(DRAW_EVERY_MS);
  let [isOpen, isNew, drawn] = [false, false, { rows: 0, atMs: performance.now() }];
  const onRows = (rows) => {
    take(rows);
    tally.take(0, rows);
    isNew = true;
  };
  const onOpen = () => {
    isOpen = true;
  };
  const turn = (nowMs) => {
    if (pacer.isDue(nowMs, isNew)) {
      isNew = false;
      const { rows, lost, doubled } = tally.counts(0);
      const perSecond = ((rows - drawn.rows) / Math.max(1, nowMs - drawn.atMs)) * 1000;
      drawn = { rows, atMs: nowMs };
      draw({ rows, lost, doubled, perSecond, draws: pacer.draws });
    }
    requestAnimationFrame(turn);
  };
  // What measures asks the page by these.
  globalThis.isOpen = () => isOpen;
  globalThis.hasDrawn = () => pacer.draws > 0;
  // What came before is a warm-up, which leaves nothing behind in what is counted.
  globalThis.count = (counted) => {
    tally = new RowTally(1, microsOfNow, counted);
    pacer = new DrawPacer(DRAW_EVERY_MS);
    drawn = { rows: 0, atMs: performance.now() };
  };
  globalThis.isPast = (rows) => tally.isPast(rows);
  globalThis.look = (published) => ({
    ...tally.counts(published),
    draws: pacer.draws,
    longestGapMs: pacer.longestGapMs,
  });
  const transport = asked.get('transport') ?? '';
  document.querySelector('#by').textContent = `${asked.get('name') ?? transport}, ${new URL(url).pathname}`;
  readers[transport](onRows, onOpen);
  requestAnimationFrame(turn);
}

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** Writes what was counted into the page. */
export function showFigures({ rows, perSecond, lost, doubled, draws }, more = {}) {
  const figures = { rows, 'rows per second': perSecond, lost, 'came twice': doubled, draws, ...more };
  document.querySelector('#figures').replaceChildren(
    ...Object.entries(figures).map(([name, value]) => {
      const [card, term, figure] = ['div', 'dt', 'dd'].map((tag) => document.createElement(tag));
      term.textContent = name;
      figure.textContent = typeof value === 'number' ? numbers.format(value) : value;
      card.append(term, figure);
      return card;
    }),
  );
}
