import { StartError } from '@session/kit';
import type { MediaServer } from '@session/media';
import postgres from 'postgres';
import { askLivekit } from '../livekit/server.ts';
import { compareClocks } from './clock.ts';

const TIMEOUT_MS = 5000;

export async function checkDatabase(url: string): Promise<void> {
  const client = postgres(url, {
    max: 1,
    connect_timeout: TIMEOUT_MS / 1000,
    // A failure of the client's own query for types could not be caught.
    fetch_types: false,
    onnotice: () => {},
  });
  try {
    const [row] = await client<[{ time: Date }]>`select now() as time`;
    compareClocks(Date.now(), row.time.getTime(), 'DATABASE_URL');
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`DATABASE_URL cannot be used: ${reasonOf(cause)}`, { cause });
  } finally {
    await client.end({ timeout: 1 });
  }
}

export async function checkMediaServer(server: MediaServer): Promise<void> {
  const address = server.url.replace(/^ws/, 'http');
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      throw new StartError(`MEDIA_URL cannot be reached: ${reasonOf(cause)}`, { cause });
    },
  );
  const date = answer.headers.get('date');
  if (date) compareClocks(Date.now(), Date.parse(date), 'MEDIA_URL');
  await askLivekit(server).catch((cause: unknown) => {
    throw new StartError(
      `MEDIA_URL cannot be used with MEDIA_API_KEY and MEDIA_API_SECRET: ${reasonOf(cause)}`,
      {
        cause,
      },
    );
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The message of a failed fetch says nothing; its cause does.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
