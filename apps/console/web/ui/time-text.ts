const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const absolute = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'full',
  timeStyle: 'long',
});

/** Returns when something was, as one says it at the time `now`: *now*, *12 min ago*, *10:02*, *yesterday*, *3 Nov*. */
export function timeText(at: number, now: number): string {
  if (Number.isNaN(at)) return 'unknown';
  const agoMs = now - at;
  if (agoMs < MINUTE_MS && agoMs > -MINUTE_MS) return 'now';
  if (agoMs >= 0 && agoMs < 60 * MINUTE_MS) return `${Math.floor(agoMs / MINUTE_MS)} min ago`;
  const daysAgo = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
  if (daysAgo === 0) return clock.format(at);
  if (daysAgo === 1) return 'yesterday';
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dayAndMonth : date).format(at);
}

/** Returns a time of day with seconds. */
export function clockText(at: number): string {
  return Number.isNaN(at) ? 'unknown' : clockWithSeconds.format(at);
}

/** Returns a time in full, with the date and the time zone. */
export function absoluteText(at: number): string {
  return Number.isNaN(at) ? 'unknown' : absolute.format(at);
}

/** Returns a length: `0:08`, `12:04`, `1:02:09`. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return 'unknown';
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const end = String(seconds % 60).padStart(2, '0');
  return hours ? `${hours}:${String(minutes % 60).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}

/** Returns a length in words, for assistive technology: *1 hour 2 minutes*, *8 seconds*. */
export function spokenDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds < 3600 ? seconds % 60 : 0, 'second'],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return said.join(' ') || '0 seconds';
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
