import { inject } from 'vitest';
import type { Pcm } from './pcm.ts';
import { fromWav, toWav } from './wav.ts';

declare module 'vitest' {
  interface ProvidedContext {
    speechUrl: string;
  }
}

/**
 * Returns the base URL of the real speech server of the tier `speech`, or an empty string where this machine cannot run it.
 */
export function speechServerUrl(): string {
  return inject('speechUrl');
}

/** Returns the sound of a text, by the speech server at `baseUrl`. */
export async function synthesizeSpeech(baseUrl: string, input: string, speed = 1): Promise<Pcm> {
  const answer = await fetch(`${baseUrl}/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tts-1', voice: 'alloy', input, speed, response_format: 'wav' }),
  });
  return fromWav(await answer.bytes());
}

/** Returns the words of a sound, by the speech server at `baseUrl`. */
export async function transcribeSpeech(baseUrl: string, sound: Pcm): Promise<string> {
  const body = new FormData();
  body.set('file', new File([new Uint8Array(toWav(sound))], 'audio.wav', { type: 'audio/wav' }));
  body.set('model', 'whisper-1');
  body.set('language', 'en');
  body.set('response_format', 'text');
  const answer = await fetch(`${baseUrl}/audio/transcriptions`, { method: 'POST', body });
  return await answer.text();
}
