/*
 * The page of `e3`: reads the rows of one connection, and draws the newest of them in a table, or windows of 1 s in a chart, at
 * most every 200 ms. Every row is kept.
 *
 *   e3-page.html?page=chart&transport=plain+SSE&url=http://127.0.0.1:40123/rows&offset=1764374000000000
 *   isOpen(); isPast(rows); look(rows) -> { doubled: 0, next: 7500, draws: 7, batches: [[micros, delayMicros, 250]] }
 *
 * Delays are counted in Node.js. What measures asks for all this from outside.
 */
const FIELDS = ['n', 't', 'device', 'site', 'state', 'value', 'low', 'high', 'lat', 'long', 'charge', 'check'];
const TEXTS = new Set(['device', 'site', 'state', 'check']);
const NAMESPACE = 'http://example.org/row#';
const [DUE, VALUE] = [FIELDS.indexOf('t'), FIELDS.indexOf('value')];
const [DRAW_EVERY_MS, MAL_SECONDS, SHOWN_ROWS, SHOWN_WINDOWS, WINDOW_MICROS] = [200, 0.1, 20, 30, 1e6];

const asked = new URLSearchParams(location.search);
const [url, transport, page] = ['url', 'transport', 'page'].map((name) => asked.get(name) ?? '');
// Stamps are of a clock that pages do not have.
const nowMicros = () => (performance.timeOrigin + performance.now()) * 1000 - Number(asked.get('offset'));

const rowOf = (said) => FIELDS.map((field) => (TEXTS.has(field) ? String(said(field)) : Number(said(field))));
const memberRows = (data) =>
  JSON.parse(data)['tree:member'].map((member) => rowOf((field) => member[NAMESPACE + field]));

const readers = {
  WebSocket: () => {
    const socket = new WebSocket(url.replace('http', 'ws'));
    socket.addEventListener('open', onOpen);
    socket.addEventListener('message', ({ data }) => take(JSON.parse(data)));
  },
  'plain SSE': () => readEvents('message', JSON.parse),
  'ldes-live': () => readEvents('update', memberRows),
  'ldes-live, createLiveClient': async () => {
    const { createLiveClient } = await import('/client/ldes-live-client.js');
    const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'now' });
    follower.on('status', ({ mode, isCaughtUp }) => mode === 'push' && isCaughtUp && onOpen());
    let rows = [];
    for await (const { kind, member, endsCommit } of follower) {
      if (kind === 'gap') continue;
      const said = new Map(member.quads.map(({ predicate, object }) => [predicate.value, object.value]));
      rows.push(rowOf((field) => said.get(NAMESPACE + field)));
      if (!endsCommit) continue;
      take(rows);
      rows = [];
    }
  },
};

function readEvents(name, read) {
  const source = new EventSource(url);
  source.addEventListener('open', onOpen);
  source.addEventListener(name, ({ data }) => take(read(data)));
}

let [isOpen, isNew] = [false, false];
const onOpen = () => {
  isOpen = true;
};

/** What is counted from a row on. */
const begin = (next) => ({ doubled: 0, next, draws: 0, drawnMs: -DRAW_EVERY_MS, maxGapMs: 0, batches: [] });
let counted = begin(0);

function take(rows) {
  const now = nowMicros();
  if (rows.length === 0) return;
  let taken = 0;
  for (const row of rows) {
    keep(row);
    const [n] = row;
    if (n < counted.next) counted.doubled += 1;
    else taken += 1;
    counted.next = Math.max(counted.next, n + 1);
  }
  counted.batches.push([Math.round(now), Math.round(now - rows[0][DUE]), taken]);
  isNew = true;
}

const pages = {
  table: () => {
    const kept = [];
    const [head, body] = [document.querySelector('thead tr'), document.querySelector('tbody')];
    head.append(...FIELDS.map((field) => Object.assign(document.createElement('th'), { textContent: field })));
    const lines = Array.from({ length: SHOWN_ROWS }, () => body.insertRow());
    const cells = lines.map((line) => FIELDS.map(() => line.insertCell()));
    return {
      keep: (row) => kept.push(row),
      draw: () => {
        for (const [line, made] of cells.entries()) {
          const row = kept[kept.length - 1 - line] ?? [];
          for (const [at, cell] of made.entries()) cell.textContent = row[at] ?? '';
        }
      },
    };
  },
  chart: () => {
    const windows = [];
    const path = (id, d) => document.getElementById(id).setAttribute('d', d);
    return {
      keep: (row) => {
        const [start, value] = [Math.floor(row[DUE] / WINDOW_MICROS), row[VALUE]];
        if (windows.at(-1)?.start !== start) windows.push({ start, count: 0, sum: 0, min: value, max: value });
        if (windows.length > SHOWN_WINDOWS) windows.shift();
        const last = windows.at(-1);
        last.count += 1;
        last.sum += value;
        last.min = Math.min(last.min, value);
        last.max = Math.max(last.max, value);
      },
      draw: () => {
        const [low, high] = [Math.min(...windows.map(({ min }) => min)), Math.max(...windows.map(({ max }) => max))];
        const most = Math.max(...windows.map(({ count }) => count));
        const x = ({ start }) => 900 - (windows.at(-1).start - start + 0.5) * (900 / SHOWN_WINDOWS);
        const y = (value) => 280 - ((value - low) / Math.max(1, high - low)) * 270;
        const line = (of, some = windows) => some.map((window) => `${x(window)},${y(of(window))}`).join('L');
        const below = line(({ min }) => min, [...windows].reverse());
        path('band', `M${line(({ max }) => max)}L${below}Z`);
        path('mean', `M${line(({ sum, count }) => sum / count)}`);
        const bars = windows.map((window) => `M${x(window) - 14},400v${(-100 * window.count) / most}h28V400Z`);
        path('counts', bars.join(''));
      },
    };
  },
};
const { keep, draw } = pages[page]();

function turn(nowMs) {
  if (isNew && nowMs - counted.drawnMs >= DRAW_EVERY_MS) {
    if (counted.draws > 0) counted.maxGapMs = Math.max(counted.maxGapMs, nowMs - counted.drawnMs);
    counted.drawnMs = nowMs;
    counted.draws += 1;
    isNew = false;
    const { next, doubled, draws } = counted;
    document.querySelector('#figures').textContent = `${next} rows, ${doubled} twice, drawn ${draws} times`;
    draw();
  }
  requestAnimationFrame(turn);
}

Object.assign(globalThis, {
  isOpen: () => isOpen,
  isPast: (rows) => counted.next >= rows && counted.draws > 0,
  look: (published) => {
    const looked = counted;
    counted = begin(published);
    return looked;
  },
});
document.querySelector('#by').textContent = `${page} by ${transport}`;
document.getElementById(page).removeAttribute('hidden');
readers[transport]();
requestAnimationFrame(turn);
