import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onCore } from '../child.ts';
import { endWithThis } from '../end-with-this.ts';
import { freePort } from '../free-port.ts';
import { publishOnSchedule } from '../load/publish-on-schedule.ts';
import { aroundStamps, stamp } from '../load/stamp.ts';
import { cpuMicrosOf, processTree, residentBytesOf } from '../process-usage.ts';
import type { Subject } from './node-subject.ts';

const NGINX = '/usr/sbin/nginx';
const MODULES = ['/usr/lib/nginx/modules', '/usr/share/nginx/modules'];
const MODULE = 'ngx_nchan_module.so';
const START_MS = 100;

/**
 * nginx with Nchan, which sends what is posted to it as events; `undefined` where it is not installed. It makes `id:` and
 * `event:` itself, so that its events have other ids.
 *
 * @param workers - that share its port: one may have some 18,000 connections
 */
export async function startNchanSubject(
  event: string,
  folder: string,
  core: number | undefined,
  workers = 1,
): Promise<Subject | undefined> {
  const modules = MODULES.find((path) => existsSync(join(path, MODULE)));
  if (!existsSync(NGINX) || modules === undefined) return undefined;
  const around = aroundStamps(/^data: ?(.*)$/m.exec(event)?.[1] ?? '');
  const home = await mkdtemp(join(folder, 'nginx-'));
  const port = await freePort();
  await writeFile(join(home, 'nginx.conf'), configuration(port, join(modules, MODULE), workers));
  const [file, ...args] = onCore(core, [NGINX, '-p', home, '-c', 'nginx.conf', '-e', 'error.log', '-g', 'daemon off;']);
  const master = spawn(file as string, args, { stdio: 'ignore' });
  endWithThis(master);
  const ended = once(master, 'exit');
  await answering(port);
  // All but the master, which does nothing.
  const pids = processTree(master.pid ?? 0).slice(1);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    name: 'Nchan',
    port,
    path: '/events',
    cpuMicros: async () => cpuMicrosOf(pids),
    residentBytes: () => residentBytesOf(pids),
    publish: async (schedule) => {
      await publishOnSchedule(schedule, (micros) => post(port, agent, around.join(stamp(micros))));
      return undefined;
    },
    close: async () => {
      agent.destroy();
      master.kill('SIGTERM');
      await ended;
    },
  };
}

function configuration(port: number, module: string, workers: number): string {
  return `load_module ${module};
worker_processes ${workers};
pid nginx.pid;
events { worker_connections 19000; }
http {
  access_log off;
  client_max_body_size 4m;
  client_body_buffer_size 4m;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  nchan_shared_memory_size 256m;
  server {
    listen 127.0.0.1:${port} backlog=4096${workers > 1 ? ' reuseport' : ''};
    location = /publish { nchan_publisher; nchan_channel_id updates; nchan_message_buffer_length 5; }
    location = /events {
      nchan_subscriber eventsource;
      nchan_channel_id updates;
      nchan_subscriber_first_message newest;
      nchan_eventsource_ping_interval 15;
    }
  }
}
`;
}

async function answering(port: number): Promise<void> {
  const agent = new Agent();
  for (let tries = 0; ; tries += 1) {
    try {
      await post(port, agent, 'begin');
      return;
    } catch (error) {
      if (tries === 50) throw error;
      await delay(START_MS);
    }
  }
}

function post(port: number, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path: '/publish', method: 'POST', agent }, (response) => {
      response.resume();
      response.on('end', () => resolve());
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
