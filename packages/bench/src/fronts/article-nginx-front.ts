import { writeFile } from 'node:fs/promises';
import { freePort } from '../free-port.ts';
import { type Front, type FrontOptions, startFront } from './front-process.ts';

/**
 * Starts nginx before a publisher as the article on polling and push did: one worker, a lock on what is fetched, kept-alive
 * connections to the publisher, gzip, and `Cache-Control` taken out of what it answers, since it does not count `max-age` down.
 * It may have more connections than the 10,000 of the article, as many as one process may have here; and its clients may ask
 * as often as they like on one, since closing them after 1,000 requests came with a later nginx.
 *
 * @see https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/
 */
export async function startArticleNginx(
  publisher: URL,
  { port: atPort, core, processes = 1 }: FrontOptions = {},
): Promise<Front> {
  const port = atPort ?? (await freePort());
  return startFront(
    'nginx',
    port,
    async (folder) => {
      await writeFile(`${folder}/nginx.conf`, configuration(folder, port, publisher, processes));
      return ['-p', folder, '-e', 'stderr', '-c', `${folder}/nginx.conf`, '-g', 'daemon off;'];
    },
    core,
  );
}

function configuration(folder: string, port: number, publisher: URL, workers: number): string {
  return `worker_processes ${workers};
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 19900; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000;
  gzip on;
  gzip_types application/json application/ld+json;
  proxy_cache_path ${folder}/cache keys_zone=article:10m;
  upstream publisher { server ${publisher.host}; keepalive 16; }
  server {
    listen 127.0.0.1:${port} backlog=4096${workers > 1 ? ' reuseport' : ''};
    location / {
      proxy_pass http://publisher;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_cache article;
      proxy_cache_lock on;
      proxy_hide_header Cache-Control;
    }
  }
}
`;
}
