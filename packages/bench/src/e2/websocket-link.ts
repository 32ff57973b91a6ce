import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Job } from './job-board.ts';
import type { JobLink, LinkEdge } from './job-link.ts';

/** Makes jobs by messages on one connection, on which it is told when they are complete. */
export async function openWebSocketLink(edge: LinkEdge<'websocket'>): Promise<JobLink> {
  const url = new URL(edge.target.jobUrl);
  url.protocol = 'ws:';
  url.searchParams.set('user', String(edge.user));
  edge.onSent();
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let onMade: (id: string) => void = () => {};
  socket.on('message', (data) => {
    const { id, complete } = JSON.parse(String(data)) as Job;
    if (complete) edge.onComplete(id);
    else onMade(id);
  });
  return {
    make: () =>
      new Promise((resolve, reject) => {
        onMade = resolve;
        edge.onSent();
        socket.send('make', (error) => error && reject(error));
      }),
    // It tells of nothing but its user's jobs.
    leave: () => {},
    close: () => socket.close(),
  };
}
