import process from 'node:process';
import { runWorker } from '@ldes-live/server';

await runWorker(process, (name) => ({ logger: { level: 'warn', name, stream: process.stderr } }));
