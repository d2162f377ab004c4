const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dateAndClock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const absolute = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'full',
  timeStyle: 'long',
});

/** Returns when something was, as people say it at the time `now`: *now*, *12 min ago*, *10:02*, *yesterday*, *3 Nov*. */
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

export function momentText(at: number): string {
  if (Number.isNaN(at)) return 'unknown';
  return (startOfDay(at) === startOfDay(Date.now()) ? clockWithSeconds : dateAndClock).format(at);
}

export function clockText(at: number): string {
  return Number.isNaN(at) ? 'unknown' : clockWithSeconds.format(at);
}

export function absoluteText(at: number): string {
  return Number.isNaN(at) ? 'unknown' : absolute.format(at);
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
