import process from 'node:process';
import { runWorker } from '@ldes-live/server';
import { readableLines } from '../dist/terminal.js';

const stream = process.stderr.isTTY ? readableLines(process.stderr) : process.stderr;
await runWorker(process, (name) => ({ logger: { level: 'warn', name, stream } }));
