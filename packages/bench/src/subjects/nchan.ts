import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { cpuMicrosOf, processTree, residentBytesOf } from '../machine.ts';
import { freePort, isInstalled } from '../processes.ts';
import { startNginx } from '../programs/fronts.ts';
import { aroundStamps, publishOnSchedule, stamp } from '../timing.ts';
import { fieldOf } from './node-servers.ts';
import type { EventOptions, Subject } from './subject.ts';

const MODULES = ['/usr/lib/nginx/modules', '/usr/share/nginx/modules'].map((path) => join(path, 'ngx_nchan_module.so'));

/**
 * nginx with Nchan, which sends what is posted to it as events; `undefined` where it is not installed. It makes `id:` and
 * `event:` itself, so that its events have other ids.
 *
 * @param workers - that share its port
 */
export async function startNchan(
  { event }: EventOptions,
  core: number | undefined,
  workers: number,
): Promise<Subject | undefined> {
  const module = MODULES.find((path) => existsSync(path));
  if (!isInstalled('nginx') || module === undefined) return undefined;
  const around = aroundStamps(fieldOf(event, 'data'));
  const port = await freePort();
  const nginx = await startNginx(port, core, () => configuration(port, module, workers));
  // All but the master, which does nothing, and listens before it has any.
  const pids = () => processTree(nginx.pid).slice(1);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ports: [port],
    path: '/events',
    cpuMicros: async () => cpuMicrosOf(pids()),
    residentBytes: () => residentBytesOf(pids()),
    publish: async (schedule) => {
      await publishOnSchedule(schedule, (micros) => post(port, agent, around.join(stamp(micros))));
      return undefined;
    },
    close: async () => {
      agent.destroy();
      await nginx.close();
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

async function post(port: number, agent: Agent, body: string): Promise<void> {
  const asked = request({ port, host: '127.0.0.1', path: '/publish', method: 'POST', agent }).end(body);
  const [response] = await once(asked, 'response');
  await once(response.resume(), 'end');
}
