import type { SpeechSettings } from '@session/conversation';

const OPENAI_HOST = 'api.openai.com';

/** What the endpoints of OpenAI call their models, and what others often accept too. */
const MODELS = {
  openai: { hearing: 'gpt-4o-mini-transcribe', speaking: 'gpt-4o-mini-tts', voice: 'alloy' },
  other: { hearing: 'whisper-1', speaking: 'tts-1', voice: 'alloy' },
} as const;

/** An OpenAI-compatible endpoint for speech. */
export interface SpeechEndpoint {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Secret. */
  readonly apiKey: string | undefined;
  readonly model: string;
}

export interface SpeakingEndpoint extends SpeechEndpoint {
  readonly voice: string;
}

/** An endpoint; `missing` when the template asks for the local speech server and there is none; `none` when it asks for none. */
type Found<Endpoint> = Endpoint | 'missing' | 'none';

/** Returns the endpoint that a template chooses for speech to text. */
export function hearingEndpoint(
  settings: SpeechSettings,
  localUrl: string | undefined,
): Found<SpeechEndpoint> {
  return endpointOf(settings, localUrl, 'hearing');
}

/** Returns the endpoint that a template chooses for speech. */
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
  // The local speech server wants no key, and gets none.
  const reached =
    provider === 'local' ? { baseUrl: localUrl ?? '', apiKey: undefined } : { baseUrl, apiKey };
  const url = reached.baseUrl.replace(/\/+$/, '');
  return { ...reached, baseUrl: url, model: model ?? modelsAt(url)[use] };
}

function modelsAt(baseUrl: string) {
  return new URL(baseUrl).host === OPENAI_HOST ? MODELS.openai : MODELS.other;
}
