import type { SpeechSettings } from '@session/conversation';

const OPENAI_HOST = 'api.openai.com';

const MODELS = {
  openai: { hearing: 'gpt-4o-mini-transcribe', speaking: 'gpt-4o-mini-tts', voice: 'alloy' },
  other: { hearing: 'whisper-1', speaking: 'tts-1', voice: 'alloy' },
} as const;

export interface SpeechEndpoint {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
}

export interface SpeakingEndpoint extends SpeechEndpoint {
  readonly voice: string;
}

type Found<Endpoint> = Endpoint | 'missing' | 'none';

export function hearingEndpoint(
  settings: SpeechSettings,
  localUrl: string | undefined,
): Found<SpeechEndpoint> {
  return endpointOf(settings, localUrl, 'hearing');
}

export function speakingEndpoint(
  settings: SpeechSettings & { readonly voice: string | undefined },
  localUrl: string | undefined,
): Found<SpeakingEndpoint> {
  const found = endpointOf(settings, localUrl, 'speaking');
  if (typeof found === 'string') return found;
  return { ...found, voice: settings.voice ?? modelsAt(found.baseUrl).voice };
}

function endpointOf(
  { provider, baseUrl, apiKey, model }: SpeechSettings,
  localUrl: string | undefined,
  use: 'hearing' | 'speaking',
): Found<SpeechEndpoint> {
  if (provider === 'none') return 'none';
  if (provider === 'local' && localUrl === undefined) return 'missing';
  // The local speech server needs no key, so it gets none.
  const reached =
    provider === 'local' ? { baseUrl: localUrl ?? '', apiKey: undefined } : { baseUrl, apiKey };
  const url = reached.baseUrl.replace(/\/+$/, '');
  return { ...reached, baseUrl: url, model: model ?? modelsAt(url)[use] };
}

function modelsAt(baseUrl: string) {
  return new URL(baseUrl).host === OPENAI_HOST ? MODELS.openai : MODELS.other;
}
