const INTERVAL_MS = 60_000;

/** Returns a function that calls the `warn` it is given at most once a minute. */
export function onceAMinute(now = () => performance.now()): (warn: () => void) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (warn) => {
    const nowMs = now();
    if (nowMs - lastMs < INTERVAL_MS) return;
    lastMs = nowMs;
    warn();
  };
}
