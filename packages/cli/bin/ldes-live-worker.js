import process from 'node:process';
import { runWorker } from '../dist/index.js';

runWorker(process);
