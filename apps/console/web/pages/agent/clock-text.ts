const SECOND_MS = 1000;
const MINUTE_S = 60;
const HOUR_S = 3600;

/** Returns a duration as a clock shows it: `0.9 s` below one minute, then `38:51` and `2:05:09`. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, ms) / SECOND_MS;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / MINUTE_S) % MINUTE_S, whole % MINUTE_S];
  const hours = Math.floor(whole / HOUR_S);
  const [minutes = 0, rest = 0] = parts;
  const tail = `:${String(rest).padStart(2, '0')}`;
  return hours === 0 ? minutes + tail : `${hours}:${String(minutes).padStart(2, '0')}${tail}`;
}
