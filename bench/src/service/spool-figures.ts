export interface SpoolFigures {
  readonly spoolBytes: number;
  readonly lost: number;
}

export async function readSpoolFigures(urls: readonly string[]): Promise<SpoolFigures> {
  const pages = await Promise.all(
    urls.map(async (url) => {
      const answer = await fetch(url).catch(() => undefined);
      return (await answer?.text().catch(() => '')) ?? '';
    }),
  );
  const all = pages.join('\n');
  return {
    spoolBytes: sumOf(all, 'session_recorder_spool_bytes'),
    lost: sumOf(all, 'session_recorder_messages_lost_total'),
  };
}

function sumOf(pages: string, name: string): number {
  const samples = pages.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
  const values = Array.from(samples, ([, value]) => Number(value));
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
}
