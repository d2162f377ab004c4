const thisYear = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
});
const anyYear = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });

export function dayText(time: string, now: Date = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return 'Today';
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === yesterday.toDateString()) return 'Yesterday';
  return (at.getFullYear() === now.getFullYear() ? thisYear : anyYear).format(at);
}
