const INTERVAL_MS = 60_000;

export function onceAMinute(now = () => performance.now()): (warn: () => void) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (warn) => {
    const nowMs = now();
    if (nowMs - lastMs < INTERVAL_MS) return;
    lastMs = nowMs;
    warn();
  };
}
