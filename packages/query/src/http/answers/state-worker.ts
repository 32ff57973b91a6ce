import { parentPort, workerData } from 'node:worker_threads';
import { defaultEngine } from '../../engines/comunica.ts';
import { runStateProgram, type ThreadEnd } from './state-program.ts';
import type { StateTask } from './thread-messages.ts';

// The program of a thread that holds a latest state.
void runStateProgram(parentPort as ThreadEnd, workerData as StateTask, defaultEngine());
