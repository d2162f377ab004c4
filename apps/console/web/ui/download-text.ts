export function downloadText(name: string, parts: string[], type: string): void {
  const href = URL.createObjectURL(new Blob(parts, { type }));
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  // Firefox reads the address only after the click has ended. Within a minute, every browser has begun to read.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
