const DAY_LENGTH = '2026-11-24'.length;

/** Returns today's date in the user's time zone, in the format of a field of the type `date`. */
export function today(now = new Date()): string {
  const shifted = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, DAY_LENGTH);
}

export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}
