// The process that is measured: what it is told by its parent, it does.
import { startServingServers } from './serving-server.ts';

const servers = await startServingServers(Number(process.argv[2]));
process.on('message', (message: { readonly fixed?: string; readonly stop?: boolean }) => {
  if (message.fixed !== undefined) servers.setFixed(Buffer.from(message.fixed, 'base64'));
  if (message.stop) {
    void servers.close().then(() => process.disconnect());
    return;
  }
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
const { livePort, barePort, sealedPage } = servers;
process.send?.({ livePort, barePort, sealedPage });
