// Serves a finished LDES from files that it writes first.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { HISTORY_MEDIA_TYPES, type HistoryFormat, type HistoryShape, historyDocuments } from './history-pages.ts';

const [folder, port, shapes] = process.argv.slice(2) as [string, string, string];

for (const shape of JSON.parse(shapes) as readonly HistoryShape[]) {
  const own = join(folder, new URL(shape.baseUrl).pathname);
  await mkdir(own, { recursive: true });
  for (const [name, text] of historyDocuments(shape)) await writeFile(join(own, name), text);
}

const server = createServer(async (request, response) => {
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost/');
    const bytes = await readFile(join(folder, pathname));
    const format = pathname.slice(pathname.lastIndexOf('.') + 1) as HistoryFormat;
    response.writeHead(200, {
      'content-type': HISTORY_MEDIA_TYPES[format],
      'content-length': bytes.length,
      'cache-control': 'public, max-age=604800, immutable',
    });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(Number(port), '127.0.0.1', () => process.send?.({}));
process.on('disconnect', () => process.exit());
process.on('message', () => process.disconnect());
