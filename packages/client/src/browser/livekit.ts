import type * as LiveKit from 'livekit-client';

/** LiveKit's SDK, which is loaded when it is needed. */
export type Sdk = typeof LiveKit;

/** Loads LiveKit's SDK. A bundler puts it into a chunk of its own. */
export async function loadSdk(): Promise<Sdk> {
  return await import('livekit-client');
}
