import process from 'node:process';
import { runWorker } from '@ldes-live/server';
import { watchProcess } from '../dist/index.js';

const { memoryUsage, cpuUsage } = process;
await runWorker(process, (name) => ({
  processFacts: watchProcess(name, { memoryUsage, cpuUsage, clock: Date.now }).facts,
  logger: { level: 'warn', name, stream: process.stderr },
}));
