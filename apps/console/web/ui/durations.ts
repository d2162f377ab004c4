const SECOND_MS = 1000;
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/**
 * Returns a length of time in words: `8 s`, `2 min 5 s`, `1 h 4 min`, `2 d 3 h`. Below one second, it has one decimal: `0.4 s`.
 */
export function inWords(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(Math.round(ms / 100) / 10, 0.1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < MINUTE_S) return `${seconds} s`;
  if (seconds < HOUR_S)
    return pair([Math.floor(seconds / MINUTE_S), 'min'], [seconds % MINUTE_S, 's']);
  const minutes = Math.round(seconds / MINUTE_S);
  if (seconds < DAY_S) return pair([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
  const hours = Math.round(seconds / HOUR_S);
  return pair([Math.floor(hours / 24), 'd'], [hours % 24, 'h']);
}

/** Returns a length of time as a clock shows it: `0:08`, `12:04`, `1:02:09`. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return 'unknown';
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const end = String(seconds % 60).padStart(2, '0');
  return hours ? `${hours}:${String(minutes % 60).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}

/** Returns a short or long duration as a clock shows it: `0.9 s` below one minute, then `38:51` and `2:05:09`. */
export function stopwatchText(ms: number): string {
  const seconds = Math.max(0, ms) / SECOND_MS;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  return durationText(Math.round(seconds) * SECOND_MS);
}

type Part = readonly [count: number, unit: string];

function pair(first: Part, second: Part): string {
  return [first, second]
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
