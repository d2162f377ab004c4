import { FallbackModel } from '../model/fallback-model.ts';
import type { Model } from '../model/model.ts';
import { ModelClient, type ModelClientOptions } from '../model/model-client.ts';
import { type ModelSettings, REHEARSAL_KEY } from '../settings/settings.ts';
import { startRehearsalServer } from './rehearsal-server.ts';

export interface OpenModel extends AsyncDisposable {
  readonly client: Model;
}

const FIRST_TOKEN_MS = 4000;

/** Opens the model of a template, with its fallback. The key `rehearsal` starts the rehearsal model in this process. */
export async function openModel(
  settings: ModelSettings,
  options: ModelClientOptions = {},
): Promise<OpenModel> {
  const { fallback } = settings;
  if (!fallback) return await openOne(settings, options);
  await using stack = new AsyncDisposableStack();
  const firstTokenMs = Math.min(settings.firstTokenMs, FIRST_TOKEN_MS);
  const first = stack.use(
    await openOne({ ...settings, firstTokenMs }, { ...options, mayRetry: false }),
  );
  const second = stack.use(await openOne(fallback, options));
  const client = new FallbackModel(first.client, second.client);
  const owned = stack.move();
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function openOne(settings: ModelSettings, options: ModelClientOptions): Promise<OpenModel> {
  await using stack = new AsyncDisposableStack();
  const isRehearsal = settings.apiKey === REHEARSAL_KEY;
  const server = isRehearsal ? stack.use(await startRehearsalServer()) : undefined;
  const reached = server
    ? { ...settings, baseUrl: server.baseUrl, model: undefined, proxies: {} }
    : settings;
  const client = stack.use(new ModelClient(reached, options));
  const owned = stack.move();
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
