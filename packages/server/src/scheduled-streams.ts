import { type LearnedSchedule, startLearnedSchedule } from './learned-schedule.ts';
import type { LiveStream, ScheduledStream } from './options.ts';

/**
 * The streams with the schedules that they lack, which are learned from their logs.
 *
 * @param clock - epoch milliseconds
 * @throws {@link StreamError} those of {@link startLearnedSchedule}
 */
export async function scheduledStreams(
  streams: readonly LiveStream[],
  clock: () => number,
): Promise<{ streams: ScheduledStream[]; learned: LearnedSchedule[] }> {
  const learned: LearnedSchedule[] = [];
  const complete: ScheduledStream[] = [];
  for (const stream of streams) {
    if (stream.schedule) {
      complete.push({ ...stream, schedule: stream.schedule });
      continue;
    }
    const schedule = await startLearnedSchedule(stream.log, clock);
    learned.push(schedule);
    complete.push({ ...stream, schedule: schedule.schedule });
  }
  return { streams: complete, learned };
}
