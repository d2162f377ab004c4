const EXTENSIONS = { jsonl: 'jsonl', markdown: 'md' } as const;
const MAX_LENGTH = 60;

/** Returns the name of the file that a session is exported to: what every system takes. */
export function fileNameOf(sessionName: string, format: keyof typeof EXTENSIONS): string {
  const words = sessionName
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '');
  return `${words.toLowerCase() || 'session'}.${EXTENSIONS[format]}`;
}
