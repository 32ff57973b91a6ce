import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Job, JobBoard } from './job-board.ts';
import type { JobServer } from './job-server.ts';

/**
 * The published service: `POST /job` and `GET /job/{id}`, and a WebSocket on which any message makes a job and which is told
 * when it is complete.
 */
export async function startPlainJobServer(): Promise<JobServer> {
  const board = new JobBoard();
  const app = express();
  app.post('/job', (request, response) => response.json(board.make(Number(request.query.user))));
  app.get('/job/:id', (request, response) => {
    const job = board.find(request.params.id as string);
    if (job) response.json(job);
    else response.status(404).end();
  });
  const server = createServer(app);
  const sockets = serveWebSockets(new WebSocketServer({ server }), board);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    board,
    target: { jobUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/job` },
    close: async () => {
      board.close();
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

function serveWebSockets(sockets: WebSocketServer, board: JobBoard): WebSocketServer {
  const makers = new Map<string, WebSocket>();
  sockets.on('connection', (socket, request) => {
    const user = Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('user'));
    socket.on('message', () => {
      const job: Job = board.make(user);
      makers.set(job.id, socket);
      socket.send(JSON.stringify(job));
    });
  });
  board.onComplete((job) => {
    makers.get(job.id)?.send(JSON.stringify(job));
    makers.delete(job.id);
  });
  return sockets;
}
