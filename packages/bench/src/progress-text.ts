/** How far a run has come. */
export interface Progress {
  /** Since it began. */
  readonly elapsedSeconds: number;
  /** How much of it is done, in [0, 1]. */
  readonly share: number;
  /** How long it was expected to take in all. */
  readonly expectedSeconds: number;
}

/** How far a run has come, and how long it will still take: `12 %, about 3 min left`. */
export function progressText(progress: Progress): string {
  const percent = Math.floor(within(progress.share) * 100);
  return percent === 100 ? '100 %' : `${percent} %, about ${roundedText(secondsLeft(progress))} left`;
}

/** About how long a run will still take: by what was expected in the beginning, and the more is done the more by its own pace. */
function secondsLeft({ elapsedSeconds, share, expectedSeconds }: Progress): number {
  const done = within(share);
  const allSeconds = (1 - done) * expectedSeconds + elapsedSeconds;
  return (1 - done) * allSeconds;
}

/** A time that is not known to the second: `5 s`, `1 min 30 s`, `12 min`, `1 h 20 min`. */
export function roundedText(seconds: number): string {
  const fives = Math.max(5, Math.round(seconds / 5) * 5);
  if (fives < 60) return `${fives} s`;
  if (fives < 300) {
    const halves = Math.round(fives / 30) * 30;
    return halves % 60 === 0 ? `${halves / 60} min` : `${Math.floor(halves / 60)} min 30 s`;
  }
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const tens = Math.round(minutes / 10) * 10;
  return tens % 60 === 0 ? `${tens / 60} h` : `${Math.floor(tens / 60)} h ${tens % 60} min`;
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}
